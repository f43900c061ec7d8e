import { readersRequest, readersResponse } from "@sallyport/contract";
import { defineRoute, type Route } from "./route.ts";
import { singleReference } from "./single-reference.ts";
import type { UseCases } from "./use-cases.ts";

const path = "/v1/object/{idOrClass}/readers";

/** Who alone may see a business object. */
export function readersRoutes({ getReaders, setReaders }: Pick<UseCases, "getReaders" | "setReaders">): Route[] {
  return [
    defineRoute({
      method: "GET",
      path,
      operation: "getReaders",
      summary: "Tells who alone may see an object, to callers who may write it.",
      access: "session",
      data: readersResponse,
      versioned: true,
      errors: [304, 404, 609],
      handle: async (context, { parameter }) => {
        const { readers, version } = await getReaders.run(context, singleReference(parameter("idOrClass")));
        return { data: { readers }, version };
      },
    }),
    defineRoute({
      method: "PUT",
      path,
      operation: "setReaders",
      summary: "Says who alone may see an object. It is a write of the object.",
      access: "session",
      body: { schema: readersRequest, faultOrder: [] },
      data: readersResponse,
      versioned: true,
      conditional: true,
      errors: [304, 307, 404, 610, 713],
      handle: async (context, { parameter, body, expectedVersions }) => {
        const { readers, version } = await setReaders.run(context, singleReference(parameter("idOrClass")), {
          readers: body.readers,
          expectedVersions,
        });
        return { data: { readers }, version };
      },
    }),
  ];
}
