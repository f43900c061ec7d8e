import type { Digest, ObjectId } from "@sallyport/core";
import { withNames, withTexts } from "../object-names.ts";

/** What a history has created by now, and what it is called. */
export class ReplayedHistory {
  /** Ids of the objects by their numbers; `null` for one that could not be created. */
  readonly ids: (ObjectId | null)[] = [];
  /** How many sessions were to be opened. */
  sessions = 0;

  /** The id of an object; of one that could not be created, `undefined`. */
  idOf(number: number): ObjectId | undefined {
    return this.ids[number] ?? undefined;
  }

  digestOf(session: number): Digest {
    return session.toString(16).padStart(64, "5e55");
  }

  /** The value with names in the place of ids and digests. */
  named(value: unknown): unknown {
    const sessions = new Map(
      Array.from({ length: this.sessions }, (_, number) => [this.digestOf(number), `session ${number}`]),
    );
    return withTexts(withNames(value, this.ids), (text) => sessions.get(text) ?? text);
  }

  /** Forgets the ids that were given since there were so many: they were taken back, and are given again by some storages. */
  forgetSince(count: number): void {
    for (let number = count; number < this.ids.length; number += 1) this.ids[number] = null;
  }
}
