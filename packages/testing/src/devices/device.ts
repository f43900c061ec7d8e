import type { SallyportClient } from "@sallyport/client";
import {
  type DeviceEntry,
  memoryStorage,
  type Notices,
  sync,
  type SyncReport,
  type SyncStorage,
  SyncStore,
} from "@sallyport/client/sync";
import { withClock } from "./device-clock.ts";
import { Crash, type JsonObject, Network, type NetworkPlan } from "./network.ts";
import { type Scene, schemaName, wireName } from "./scene.ts";
import type { ClassName, SyncStep } from "./scenario.ts";

/** An edit that the local store has accepted. */
export interface AcceptedEdit {
  readonly uuid: string;
  /** The values that differ from those before; `null` for a removal. */
  readonly fields: JsonObject | null;
  /** Position among all events of the run. */
  readonly moment: number;
}

export type OpenStorage = () => SyncStorage;
export type Synchronize = typeof sync;

/** The simulated client and its storage; by default that of the package, in memory. */
export interface DeviceParts {
  readonly openStorage: OpenStorage;
  readonly synchronize: Synchronize;
}

export const usualParts: DeviceParts = { openStorage: memoryStorage, synchronize: sync };

/** A device of a user. Its storage survives the end of the application. */
export class Device {
  readonly edits: AcceptedEdit[] = [];
  /** The fate of edits, as the application has received it. */
  readonly notices: Notices = { conflicts: [], merged: [], refused: [], takenBack: [] };
  /** Objects whose edits the last synchronization has postponed. */
  postponed: ReadonlySet<string> = new Set();
  /** Milliseconds by which the clock of the device is ahead. */
  clock = 0;
  private readonly storage: SyncStorage;
  private application: Application | null = null;

  constructor(
    private readonly scene: Scene,
    readonly user: number,
    private readonly parts: DeviceParts,
  ) {
    this.storage = parts.openStorage();
  }

  /** Edits the local copy. An impossible edit does nothing. */
  async create(uuid: string, className: ClassName, fields: JsonObject, moment: number): Promise<void> {
    await this.edit(async (store) => {
      await store.create(schemaName, wireName(className), fields, uuid);
      this.edits.push({ uuid, fields, moment });
    });
  }

  async change(
    uuid: string,
    fields: JsonObject,
    moment: number,
    same: (a: unknown, b: unknown) => boolean,
  ): Promise<void> {
    await this.edit(async (store) => {
      const before = (await store.entry(schemaName, uuid))?.local ?? {};
      await store.update(schemaName, uuid, fields);
      const changed = Object.entries(fields).filter(([name, value]) => !same(before[name], value));
      if (changed.length > 0) this.edits.push({ uuid, fields: Object.fromEntries(changed), moment });
    });
  }

  async remove(uuid: string, moment: number): Promise<void> {
    await this.edit(async (store) => {
      await store.remove(schemaName, uuid);
      this.edits.push({ uuid, fields: null, moment });
    });
  }

  /** All that the device keeps. */
  async entries(): Promise<DeviceEntry[]> {
    const entries: DeviceEntry[] = [];
    for await (const entry of this.opened().store.entries(schemaName)) entries.push(entry);
    return entries;
  }

  /** Synchronizes once. Rejects with the failure of the client, or a `Crash`. */
  async synchronize(
    plan: NetworkPlan,
    crash: SyncStep["crash"],
    beforeCall: (call: number) => Promise<void>,
  ): Promise<SyncReport> {
    const application = this.opened();
    const network = new Network(plan);
    try {
      return await withClock(this.clock, async () => {
        application.network = network;
        application.client ??= await this.scene.logIn(this.user, application.fetch);
        application.begin({ crash, beforeCall });
        const { store, client } = application;
        const onNotices = (notices: Notices) => this.note(notices);
        const report = await this.parts.synchronize({ client, schema: schemaName, store, retries: 0, onNotices });
        if (application.hasEnded) throw new Crash();
        this.postponed = new Set(report.postponed.map(({ uuid }) => uuid));
        return report;
      });
    } catch (error) {
      throw application.hasEnded ? new Crash() : error;
    } finally {
      application.begin(null);
      if (application.hasEnded) this.application = null;
      await network.deliver();
    }
  }

  /** The session of the device. */
  client(): Promise<SallyportClient> {
    const application = this.opened();
    application.network = null;
    const fetch = application.fetch;
    const opening = async () => (application.client ??= await this.scene.logIn(this.user, fetch));
    return opening();
  }

  private note(notices: Notices): void {
    for (const kind of ["conflicts", "merged", "refused", "takenBack"] as const)
      (this.notices[kind] as unknown[]).push(...notices[kind]);
  }

  private async edit(work: (store: SyncStore) => Promise<void>): Promise<void> {
    const application = this.opened();
    try {
      await work(application.store);
    } catch (error) {
      // The object is not on the device, or the application has ended.
      if (!(error instanceof Error)) throw error;
    } finally {
      if (application.hasEnded) application.network?.end();
    }
  }

  private opened(): Application {
    if (this.application === null || this.application.hasEnded)
      this.application = new Application(this.storage, this.scene.world.servers[0] as typeof fetch);
    return this.application;
  }
}

/** The application of a device between its start and its end. */
class Application {
  readonly store: SyncStore;
  client: SallyportClient | undefined;
  network: Network | null = null;
  hasEnded = false;
  private events: ApplicationEvents | null = null;
  private calls = 0;

  constructor(
    storage: SyncStorage,
    private readonly directly: typeof fetch,
  ) {
    this.store = new SyncStore({
      read: (keys) => this.guarded(() => storage.read(keys)),
      list: (range) => this.guarded(() => storage.list(range)),
      write: (revision, changes) => this.guarded(() => storage.write(revision, changes)),
      close: () => Promise.resolve(),
    });
  }

  readonly fetch: typeof fetch = (input, init) => {
    if (this.hasEnded) return Promise.reject(new Crash());
    return (this.network?.fetch ?? this.directly)(input, init);
  };

  /** Counts the calls of the store from 0. */
  begin(events: ApplicationEvents | null): void {
    this.events = events;
    this.calls = 0;
  }

  private async guarded<T>(call: () => Promise<T>): Promise<T> {
    if (this.hasEnded) throw new Crash();
    const { events, calls: number } = this;
    if (events === null) return call();
    this.calls += 1;
    // Calls of the interruption itself are not counted.
    this.events = null;
    await events.beforeCall(number);
    this.events = events;
    if (number !== events.crash?.call) return call();
    if (events.crash.stored) await call();
    this.hasEnded = true;
    this.network?.end();
    throw new Crash();
  }
}

interface ApplicationEvents {
  readonly crash: SyncStep["crash"];
  readonly beforeCall: (call: number) => Promise<void>;
}
