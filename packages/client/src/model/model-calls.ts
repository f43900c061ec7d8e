import { ifMatchHeader, withVersion } from "../objects/version.ts";
import type { ConditionOptions } from "../objects/write-options.ts";
import type { CallOptions } from "../requests/call-options.ts";
import type { ClientRequests } from "../requests/client-requests.ts";
import type { ClassDefinition, ClassStructure, ModelStructure } from "./structure.ts";

const path = "/v1/model/structure";

/** The classes of objects. */
export class ModelCalls {
  constructor(private readonly requests: ClientRequests) {}

  async structure(limits: CallOptions): Promise<ModelStructure> {
    const { data, etag } = await this.requests.json<ModelStructure>({ ...limits, path });
    return withVersion(data, etag);
  }

  async put(
    name: string,
    body: ClassDefinition,
    { ifMatch, ...limits }: CallOptions & ConditionOptions,
  ): Promise<ClassStructure> {
    const request = { ...limits, method: "PUT", path: classPath(name), headers: ifMatchHeader(ifMatch), body } as const;
    const { data, etag } = await this.requests.json<ClassStructure>(request);
    return withVersion(data, etag);
  }

  async remove(name: string, { ifMatch, ...limits }: CallOptions & ConditionOptions): Promise<void> {
    await this.requests.json({ ...limits, method: "DELETE", path: classPath(name), headers: ifMatchHeader(ifMatch) });
  }
}

function classPath(name: string): string {
  return `${path}/${encodeURIComponent(name)}`;
}
