import { bareObjectSchema, type Checked, type listRequest, objectOperations, objectSchema } from "@sallyport/contract";
import { objectReference, ServiceError, type SingleReference } from "@sallyport/storage";
import {
  countObjects,
  createObjects,
  createObjectsOnce,
  type InputAttributes,
  type OnTimeOver,
  type SessionContext,
  writeList,
  getObject,
  createObject,
  updateObject,
  updateObjects,
} from "@sallyport/core";
import * as z from "zod";
import { failureText, resultText, successText } from "../envelope.ts";
import { withWorkers } from "../keyed-request.ts";
import { type Handlers, JsonText, type RouteInput, type Success, type Served } from "../route.ts";

const list = async (
  context: Served<SessionContext>,
  className: string,
  { query, cursor, serialization, page, perPage, count }: z.output<typeof listRequest>,
  { position }: Pick<RouteInput<never, never>, "position">,
) => {
  const input = { className, query, cursor, serialization, page, perPage, count, position };
  return { data: new JsonText(await writeList(context, input)) };
};

/** Reads and writes of objects. */
export const objectHandlers: Handlers<typeof objectOperations> = {
  getObject: async (context, input) => {
    const { parameter, query } = input;
    const reference = objectReference(parameter("idOrClass"));
    if (reference === null) throw new ServiceError(304);
    if (reference.kind === "class") return list(context, reference.className, query, input);
    return objectSuccess(await getObject(context, reference, query.serialization));
  },
  listObjects: (context, input) => list(context, classNameOf(input.parameter("className")), input.query, input),
  queryObjects: (context, input) => list(context, classNameOf(input.parameter("className")), input.body, input),
  countObjects: async (context, { parameter, query: { query, limit }, position }) => {
    const onTimeOver = limit === undefined ? undefined : afterMilliseconds(limit);
    const className = classNameOf(parameter("className"));
    return { data: await countObjects(context, { className, query, position, onTimeOver }) };
  },
  createObject: async (context, { parameter, body, query }) => {
    const className = classNameOf(parameter("idOrClass"));
    return objectSuccess(await createObject(context, className, body as InputAttributes, query.serialization));
  },
  createObjects: async (context, { parameter, body, query, settings, note, keyed }) => {
    const className = classNameOf(parameter("className"));
    const deadline = performance.now() + settings.multiTimeout;
    const input = {
      className,
      items: body.map(attributesOf),
      serialization: query.serialization,
      isLate: () => performance.now() > deadline,
    };
    const outcomes =
      keyed === null
        ? await createObjects(context, input)
        : await withWorkers(context, false, (ready) => createObjectsOnce(ready, keyed, input));
    const { path, method } = objectOperations.createObjects;
    note(
      outcomes.flatMap((error) =>
        error instanceof ServiceError
          ? [{ route: path, method, status: error.status, code: error.code, error, className }]
          : [],
      ),
    );
    const texts = outcomes.map((outcome) =>
      outcome instanceof ServiceError
        ? resultText(outcome.status, failureText(outcome, settings.debugMessages))
        : resultText(200, successText({ data: outcome })),
    );
    return { data: new JsonText([`[${texts.join(",")}]`]) };
  },
  updateObject: async (context, { parameter, body, query, expectedVersions }) => {
    const input = { attributes: body as InputAttributes, expectedVersions, serialization: query.serialization };
    return objectSuccess(await updateObject(context, singleReference(parameter("idOrClass")), input));
  },
  updateObjects: async (context, { parameter, body, query, expectedVersions }) => {
    const { count } = await updateObjects(context, {
      className: classNameOf(parameter("className")),
      query: query.query,
      attributes: body as InputAttributes,
      expectedVersions,
    });
    return { data: { "~Count": count } };
  },
};

export const writtenObjectSchema = z.union([objectSchema, bareObjectSchema]);

/** The end of a time that begins now. */
function afterMilliseconds(limit: number): OnTimeOver {
  const time = AbortSignal.timeout(limit);
  return (call) => {
    if (time.aborted) call();
    else time.addEventListener("abort", call, { once: true });
    return () => time.removeEventListener("abort", call);
  };
}

/** Invalid attributes fail alone. */
function attributesOf(checked: Checked<Readonly<Record<string, unknown>>>): InputAttributes | ServiceError {
  return "fault" in checked ? checked.fault : (checked.value as InputAttributes);
}

/** Parses a path parameter as an id or UUID. Throws 304 for anything else. */
export function singleReference(text: string): SingleReference {
  const reference = objectReference(text);
  if (reference === null || reference.kind === "class") throw new ServiceError(304);
  return reference;
}

/** Parses a path parameter as a class name. Throws 304 for anything else. */
export function classNameOf(text: string): string {
  const reference = objectReference(text);
  if (reference?.kind !== "class") throw new ServiceError(304);
  return reference.className;
}

/** The success with an object and its version. */
export function objectSuccess({
  object,
  version,
}: {
  readonly object: object;
  readonly version: number;
}): Success<object> {
  return { data: object, version };
}
