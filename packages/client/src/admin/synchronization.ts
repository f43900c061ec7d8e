import type {
  AbsenceFindingData,
  AdministeredSyncSchemaData,
  SynchronizationData,
  SyncSchemaRequestData,
} from "@sallyport/contract";
import type { CallLimits } from "../transport/deadline.ts";
import type { ConditionOptions } from "../version.ts";
import type { AdminCalls, ChangeOptions } from "./admin-calls.ts";

/** The object that a device lacks. */
export interface AbsenceOptions extends CallLimits {
  /** Id of the user of the device. */
  readonly user: string;
  /** UUID of the object. */
  readonly uuid: string;
  /** The version that the device has. */
  readonly syncVersion?: string | undefined;
}

/** Synchronization with devices: the switch, and the schemas. */
export class Synchronization {
  constructor(private readonly calls: AdminCalls) {}

  /** The switch. Pass the result as `ifMatch`. */
  get(limits: CallLimits = {}): Promise<SynchronizationData> {
    return this.calls.send("GET /admin/v1/sync", limits);
  }

  /** Switches synchronization of the database on or off. */
  setEnabled(enabled: boolean, options: ChangeOptions): Promise<SynchronizationData> {
    return this.calls.send("PATCH /admin/v1/sync", { ...options, body: { enabled } });
  }

  async listSchemas(limits: CallLimits = {}): Promise<readonly AdministeredSyncSchemaData[]> {
    return (await this.calls.send("GET /admin/v1/sync/schemas", limits)).items;
  }

  getSchema(name: string, limits: CallLimits = {}): Promise<AdministeredSyncSchemaData> {
    return this.calls.send("GET /admin/v1/sync/schemas/{name}", { ...limits, path: { name } });
  }

  /** Stores a schema. An existing one needs `ifMatch`, and its devices start over. Needs a recent proof. */
  putSchema(
    name: string,
    schema: SyncSchemaRequestData,
    options: CallLimits & ConditionOptions = {},
  ): Promise<AdministeredSyncSchemaData> {
    return this.calls.send("PUT /admin/v1/sync/schemas/{name}", { ...options, path: { name }, body: schema });
  }

  /** Needs a recent proof. */
  async removeSchema(name: string, options: ChangeOptions): Promise<void> {
    await this.calls.send("DELETE /admin/v1/sync/schemas/{name}", { ...options, path: { name } });
  }

  /** Why an object is not on a device, in the order of the checks. */
  async explainAbsence(
    schema: string,
    { user, uuid, syncVersion, ...limits }: AbsenceOptions,
  ): Promise<readonly AbsenceFindingData[]> {
    return (
      await this.calls.send("GET /admin/v1/sync/schemas/{name}/absence", {
        ...limits,
        path: { name: schema },
        query: { user, uuid, syncVersion },
      })
    ).items;
  }
}
