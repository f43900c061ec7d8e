import { LoopShare } from "../../src/index.ts";

/** An event loop whose iterations and clock the test moves. */
function eventLoop() {
  let time = 0;
  let immediates: (() => void)[] = [];
  const share = new LoopShare({ next: (call) => void immediates.push(call), clock: { now: () => time } });
  const begun: string[] = [];
  return {
    begun,
    /** Begins work on a result that takes this many milliseconds. */
    work: async (person: string, milliseconds: number): Promise<void> => {
      const pause = share.enter(person);
      if (pause !== undefined) await pause;
      begun.push(person);
      time += milliseconds;
    },
    iterate: async (): Promise<void> => {
      const due = immediates;
      immediates = [];
      for (const call of due) call();
      for (let count = 0; count < 20; count += 1) await Promise.resolve();
    },
  };
}

describe("a share of the event loop", () => {
  test("short work on results that arrive together begins at once", async () => {
    const { begun, work } = eventLoop();
    for (let count = 0; count < 10; count += 1) void work("one", 0.1);
    expect(begun).toHaveLength(10);
  });

  test("long work of one person leaves iterations to others, whose work comes before the rest of it", async () => {
    const { begun, work, iterate } = eventLoop();
    for (let count = 0; count < 5; count += 1) void work("heavy", 20);
    expect(begun).toEqual(["heavy"]);
    // The second result of the person is taken up, and then none for some iterations.
    for (let count = 0; count < 3; count += 1) await iterate();
    void work("other", 0.1);
    for (let count = 0; count < 12; count += 1) await iterate();
    expect(begun.indexOf("other")).toBeLessThan(4);
    for (let count = 0; count < 40; count += 1) await iterate();
    expect(begun.filter((person) => person === "heavy")).toHaveLength(5);
  });

  test("results that wait are taken up by persons in turn", async () => {
    const { begun, work, iterate } = eventLoop();
    for (const person of ["one", "one", "one", "two", "three", "two"]) void work(person, 5);
    for (let count = 0; count < 60; count += 1) await iterate();
    expect(begun).toEqual(["one", "one", "two", "three", "one", "two"]);
  });

  test("several short results per iteration are taken up after a long one", async () => {
    const { begun, work, iterate } = eventLoop();
    void work("one", 10);
    for (let count = 0; count < 100; count += 1) void work("one", 0.05);
    let iterations = 0;
    while (begun.length < 101) {
      await iterate();
      iterations += 1;
    }
    expect(iterations).toBeLessThan(20);
  });
});
