import type { Database } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Container } from "inversify";
import { components } from "../composition/components.ts";

/** The work that a server does by timers, in the order of `runAll`. */
export const timerNames = ["bans", "mail", "licences", "traffic", "indexes", "files", "sweep", "writers"] as const;

export type TimerName = (typeof timerNames)[number];

/** Runs the work of the server's timers when told. The timers themselves are not started. */
export class ServerTimers {
  constructor(
    private readonly container: Container,
    private readonly databases: DatabaseDirectory,
  ) {}

  /** Runs the work of one timer for all databases, to its end. Throws a `TypeError` for an unknown name. */
  async run(name: TimerName): Promise<void> {
    const work = await this.workOf(name);
    for (const database of this.databases.values()) if (database !== null) await work(database);
  }

  async runAll(): Promise<void> {
    for (const name of timerNames) await this.run(name);
  }

  private async workOf(name: TimerName): Promise<(database: Database) => Promise<void>> {
    const { container } = this;
    switch (name) {
      case "bans": {
        const timer = await container.getAsync(components.banTimer);
        return (database) => timer.apply(database);
      }
      case "mail": {
        const relay = await container.getAsync(components.mailRelay);
        return async (database) => relay?.send(database);
      }
      case "licences": {
        const relay = await container.getAsync(components.licenceRelay);
        return async (database) => relay?.send(database);
      }
      case "traffic": {
        const writer = await container.getAsync(components.trafficWriter);
        return (database) => writer.write(database);
      }
      case "indexes": {
        const keeper = await container.getAsync(components.indexKeeper);
        return (database) => {
          keeper.begin(database);
          return keeper.settled();
        };
      }
      case "files": {
        const keeper = await container.getAsync(components.fileKeeper);
        return (database) => keeper.collect(database);
      }
      case "writers": {
        const watch = await container.getAsync(components.writerWatch);
        return (database) => watch.look(database);
      }
      case "sweep": {
        const sweeper = await container.getAsync(components.sweeper);
        return (database) => sweeper.sweep(database);
      }
      default:
        throw new TypeError(`There is no timer "${String(name)}". Timers: ${timerNames.join(", ")}.`);
    }
  }
}
