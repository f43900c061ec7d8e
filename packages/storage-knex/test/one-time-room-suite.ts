import type { OneTimeRoom, Storage } from "@sallyport/core";
import { runWorkers } from "./processes/run-workers.ts";
import { digestOf } from "./sample.ts";
import { processTimeout } from "./test-database.ts";

export interface RoomSubject {
  readonly url: string;
  readonly schema: string;
  readonly storage: Storage;
  /** How many connections the server has at most. */
  connections(): Promise<number>;
}

/** Secrets that several processes give out at once, some while there is much room, and some at its end. */
export function oneTimeRoomSuite(subject: () => RoomSubject): void {
  let made = 0;
  const secret = (subjectOf: string) =>
    ({
      kind: "providerState",
      digest: digestOf(`secret ${(made += 1)}`),
      subject: subjectOf,
      payload: 1,
      lifetime: 600_000,
    }) as const;
  const revoke = async (names: readonly string[]) => {
    let count = 0;
    for (const name of names) count += await subject().storage.repositories.oneTime.revoke("providerState", name);
    return count;
  };
  const issue = async (room: OneTimeRoom, secrets: (process: number) => readonly object[]) => {
    const { url, schema } = subject();
    return (
      await runWorkers(
        url,
        "issueSecrets",
        [0, 1, 2].map((process) => ({ room, secrets: secrets(process) })),
        schema,
      )
    ).flat();
  };
  const times = (outcomes: readonly unknown[], outcome: string) => outcomes.filter((each) => each === outcome).length;

  test(
    "fill the room of a subject exactly, though they begin side by side",
    async () => {
      const room = (await subject().connections()) + 20;
      const outcomes = await issue({ ofSubject: room, inAll: 0 }, () =>
        Array.from({ length: Math.ceil(room / 2) }, () => secret("one")),
      );
      expect([times(outcomes, "issued"), times(outcomes, "subjectFull")]).toEqual([room, outcomes.length - room]);
      expect(await revoke(["one"])).toBe(room);
    },
    processTimeout,
  );

  test(
    "fill the room in all exactly, though they begin side by side",
    async () => {
      const room = (await subject().connections()) + 20;
      const names = Array.from({ length: 7 }, (_, index) => `subject ${index}`);
      const outcomes = await issue({ ofSubject: room, inAll: room }, () =>
        Array.from({ length: Math.ceil(room / 2) }, (_, index) => secret(names[index % 7] ?? "")),
      );
      expect([times(outcomes, "issued"), times(outcomes, "full")]).toEqual([room, outcomes.length - room]);
      expect(await revoke(names)).toBe(room);
    },
    processTimeout,
  );

  test("wait for nobody while there is room", async () => {
    const room = (await subject().connections()) + 20;
    const { storage } = subject();
    await storage.transaction(async (r) => {
      expect(await r.oneTime.issueWithin(secret("one"), { ofSubject: room, inAll: room })).toBe("issued");
      expect(await storage.repositories.oneTime.issueWithin(secret("one"), { ofSubject: room, inAll: room })).toBe(
        "issued",
      );
    });
    expect(await revoke(["one"])).toBe(2);
  });
}
