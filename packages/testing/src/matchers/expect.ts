import { AssertionError, deepStrictEqual, strictEqual } from "node:assert/strict";
import { inspect } from "node:util";

/** A description that stands for a value, such as `expect.any(String)`. Jest and Vitest understand it, too. */
export class Matcher {
  constructor(
    private readonly description: string,
    readonly asymmetricMatch: (actual: unknown) => boolean,
  ) {}

  [inspect.custom](): string {
    return this.description;
  }

  toString(): string {
    return this.description;
  }
}

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null;

/**
 * The expected value with each matcher that accepts the actual value replaced by it, so that a difference of the two
 * is a difference to the expectation. `partial` ignores members that only the actual value has.
 */
function settled(expected: unknown, actual: unknown, partial: boolean): unknown {
  if (expected instanceof Matcher) return expected.asymmetricMatch(actual) ? actual : expected;
  if (Array.isArray(expected))
    return expected.map((each, index) => settled(each, Array.isArray(actual) ? actual[index] : undefined, partial));
  if (!isMembers(expected)) return expected;
  const own: Members = isMembers(actual) ? actual : {};
  const members = Object.entries(expected).filter(([name, value]) => value !== undefined || name in own);
  const entries = members.map(([name, value]) => [name, settled(value, own[name], partial)] as const);
  return { ...(partial ? own : {}), ...Object.fromEntries(entries) };
}

/** A copy without prototypes: an object of `fetch` has others than one of `JSON.parse` if a test runner separates them. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, plain);
  if (!isMembers(value) || value instanceof Matcher) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

function assertEqual(actual: unknown, expected: unknown, partial: boolean): void {
  deepStrictEqual(plain(actual), plain(settled(expected, actual, partial)));
}

function equals(actual: unknown, expected: unknown, partial = false): boolean {
  try {
    assertEqual(actual, expected, partial);
    return true;
  } catch {
    return false;
  }
}

const containsEqual = (actual: unknown, expected: unknown) =>
  Array.isArray(actual) && actual.some((each) => equals(each, expected));

const shown = (value: unknown) => inspect(value, { depth: 4, breakLength: 100, maxStringLength: 300 });

function check(holds: boolean, actual: unknown, word: string, expected: unknown): void {
  if (holds) return;
  throw new AssertionError({
    message: `expected ${shown(actual)} ${word} ${shown(expected)}`,
    actual,
    expected,
    stackStartFn: check,
  });
}

function assertions(actual: unknown) {
  return {
    toBe: (expected: unknown) => strictEqual(actual, expected),
    toEqual: (expected: unknown) => assertEqual(actual, expected, false),
    toMatchObject: (expected: object) => assertEqual(actual, expected, true),
    toMatch: (pattern: RegExp) => check(pattern.test(String(actual)), actual, "to match", pattern),
    toHaveLength: (length: number) =>
      check(isMembers(actual) && actual["length"] === length, actual, "to have the length", length),
    toContainEqual: (expected: unknown) => check(containsEqual(actual, expected), actual, "to contain", expected),
    toBeGreaterThan: (bound: number) => check(Number(actual) > bound, actual, "to be greater than", bound),
    toBeLessThan: (bound: number) => check(Number(actual) < bound, actual, "to be less than", bound),
    not: {
      toContain: (member: unknown) =>
        check(!(Array.isArray(actual) && actual.includes(member)), actual, "not to contain", member),
      toMatch: (pattern: RegExp) => check(!pattern.test(String(actual)), actual, "not to match", pattern),
    },
  };
}

const objectContaining = (members: object) =>
  new Matcher(`objectContaining ${shown(members)}`, (actual) => isMembers(actual) && equals(actual, members, true));

/** The assertions of the cases. They read like those of Jest and throw an `AssertionError` of Node. */
export const expect = Object.assign(assertions, {
  any: (type: StringConstructor | BooleanConstructor | ObjectConstructor) =>
    new Matcher(`any ${type.name}`, (actual) =>
      type === Object ? isMembers(actual) : typeof actual === type.name.toLowerCase(),
    ),
  anything: () => new Matcher("anything", (actual) => actual !== null && actual !== undefined),
  stringMatching: (pattern: RegExp) =>
    new Matcher(`text like ${pattern}`, (actual) => typeof actual === "string" && pattern.test(actual)),
  stringContaining: (part: string) =>
    new Matcher(`text with ${shown(part)}`, (actual) => typeof actual === "string" && actual.includes(part)),
  arrayContaining: (members: readonly unknown[]) =>
    new Matcher(`array with ${shown(members)}`, (actual) => members.every((each) => containsEqual(actual, each))),
  objectContaining,
  not: {
    objectContaining: (members: object) =>
      new Matcher(`no object with ${shown(members)}`, (actual) => !objectContaining(members).asymmetricMatch(actual)),
  },
});
