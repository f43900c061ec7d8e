import { setImmediate as endOfTurn } from "node:timers/promises";

/** Statements that share a packet. The database works them off one after the other, so that many of them would keep the last one waiting. */
const mostTogether = 8;

/**
 * Lets go together what is asked for in one turn of the event loop: under load, several requests are read in one, and the packets
 * to the database and back cost more than what is in them. Who is alone waits for nothing.
 */
export class TurnGroups {
  private group: Promise<unknown> | undefined;
  private size = 0;

  /** Those of one group go on without anything in between. */
  join(): Promise<unknown> {
    if (this.group === undefined || this.size === mostTogether) this.begin();
    this.size += 1;
    return this.group as Promise<unknown>;
  }

  private begin(): void {
    const group = endOfTurn();
    this.group = group;
    this.size = 0;
    void group.then(() => {
      if (this.group === group) this.group = undefined;
    });
  }
}
