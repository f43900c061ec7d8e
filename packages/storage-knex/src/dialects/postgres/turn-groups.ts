import { setImmediate } from "node:timers";

/** Statements that share a packet. The database works them off one after the other, so that many of them would keep the last one waiting. */
const mostTogether = 8;

interface Group {
  size: number;
  readonly gone: Promise<void>;
  readonly go: () => void;
}

/**
 * Lets go together what is asked for in one turn of the event loop: under load, several requests are read in one, and the packets
 * to the database and back cost more than what is in them. Whoever is alone is not held up, and a full group does not wait for the end
 * of the turn.
 */
export class TurnGroups {
  private group: Group | undefined;

  /** Those of one group go on without anything in between. */
  join(): Promise<void> {
    this.group ??= this.begin();
    const { group } = this;
    group.size += 1;
    if (group.size === mostTogether) this.end(group);
    return group.gone;
  }

  private begin(): Group {
    let go: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const group = { size: 0, gone, go };
    setImmediate(() => this.end(group));
    return group;
  }

  private end(group: Group): void {
    if (this.group === group) this.group = undefined;
    group.go();
  }
}
