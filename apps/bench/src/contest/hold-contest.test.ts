import { type Contestant, holdContest, median } from "./hold-contest.ts";

/** Gives the figures of a list one after the other, and notes each call. */
function scripted(name: string, perSecond: number[], calls: string[]): Contestant {
  const left = [...perSecond];
  return {
    name,
    measure: async (seconds) => {
      calls.push(`${name} ${seconds}`);
      return { perSecond: left.shift() ?? 0, cpu: 10, backendCpu: null, p50: 1, p99: 2 };
    },
  };
}

const plan = { rounds: 3, seconds: 2, warmUp: 1 };

test("measures in turn, every other round in reverse", async () => {
  const calls: string[] = [];
  await holdContest([scripted("a", [], calls), scripted("b", [], calls)], plan);
  expect(calls).toEqual(["a 1", "b 1", "a 2", "b 2", "b 2", "a 2", "a 2", "b 2"]);
});

test("leaves the warm-up out and compares round by round", async () => {
  const contestants = [scripted("a", [1, 50, 10, 40], []), scripted("b", [1, 100, 40, 50], [])];
  const result = await holdContest(contestants, plan);
  expect(result.of("a")).toEqual({ perSecond: 40, cpu: 10, backendCpu: null, p50: 1, p99: 2 });
  expect(result.ratio("a", "b")).toBe(0.5);
});

test("knows its contestants", async () => {
  const result = await holdContest([scripted("a", [], [])], plan);
  expect(() => result.of("b")).toThrow("No contestant is called b.");
});

test("takes the middle one", () => {
  expect(median([5, 1, 9])).toBe(5);
});

test("takes the mean of the two in the middle", () => {
  expect(median([4, 1, 9, 2])).toBe(3);
});

test("has no answer without values", () => {
  expect(median([])).toBeNaN();
});
