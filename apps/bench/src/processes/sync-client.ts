import { randomUUID } from "node:crypto";
import { json } from "../comparison/bench-environment.ts";

/** An upsert: an object that the client creates, or changes after an earlier push. */
export interface Upsert {
  readonly uuid: string;
  readonly fields: object;
}

/** A client of one schema of synchronization. */
export class SyncClient {
  /** The version after the last pull or push. */
  version = "0";
  /** Versions of objects by UUID, from the pushes. */
  private readonly versions = new Map<string, number>();

  /** `url`: that of the schema. */
  constructor(
    private readonly url: string,
    private readonly credentials: Readonly<Record<string, string>>,
  ) {}

  /** Pulls all pages since a version. Returns the number of objects. */
  async pull(since = this.version): Promise<number> {
    let objects = 0;
    for (let cursor: string | undefined; ; ) {
      const data = await this.send("", { syncVersion: since, cursor });
      objects += data.changed.length;
      ({ cursor } = data);
      if (cursor !== undefined) continue;
      this.version = data.syncVersion;
      return objects;
    }
  }

  /** Waits for a change, at most 25 seconds. Returns the number of changed objects. */
  async wait(): Promise<number> {
    return (await this.send("", { syncVersion: this.version, wait: 25 })).changed.length;
  }

  /** Pushes contacts in one request. Throws if one is refused. */
  async push(upserts: readonly Upsert[]): Promise<void> {
    const ops = upserts.map(({ uuid, fields }) => {
      const syncVersion = String(this.versions.get(uuid) ?? 0);
      return { id: randomUUID(), op: "put", uuid, syncVersion, className: "Contact", fields };
    });
    const { results, syncVersion } = await this.send("/push", { syncVersion: this.version, ops });
    for (const { uuid, version, internalStatus } of results) {
      if (internalStatus !== "0") throw new Error(`An operation was refused with ${internalStatus}.`);
      this.versions.set(uuid, version);
    }
    this.version = syncVersion;
  }

  private async send(path: string, body: object): Promise<ReturnType<typeof JSON.parse>> {
    const init = { method: "POST", headers: { ...json, ...this.credentials }, body: JSON.stringify(body) };
    const answer = await fetch(`${this.url}${path}`, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`The server refused ${this.url}${path}: ${text}`);
    return JSON.parse(text).data;
  }
}
