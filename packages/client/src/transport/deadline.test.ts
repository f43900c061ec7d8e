import { jest } from "@jest/globals";
import { TransportError } from "../errors.ts";
import { withinLimits } from "./deadline.ts";

const endless = () => new Promise<never>(() => {});

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("work that is done in time is what it is, and leaves no timer behind", async () => {
  await expect(withinLimits({ timeout: 1_000 }, async () => 7)).resolves.toBe(7);
  await expect(withinLimits({ timeout: 1_000 }, () => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
  expect(jest.getTimerCount()).toBe(0);
});

test("work that takes too long is told to stop, and its result is not waited for", async () => {
  let told: AbortSignal | undefined;
  const outcome = withinLimits({ timeout: 1_000 }, (signal) => {
    told = signal;
    return endless();
  }).catch((error: unknown) => error);
  jest.advanceTimersByTime(999);
  expect(told?.aborted).toBe(false);
  jest.advanceTimersByTime(1);
  const error = await outcome;
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ reason: "timeout" });
  expect(told?.reason).toBe(error);
});

test("a signal ends work with its own reason", async () => {
  const controller = new AbortController();
  const outcome = withinLimits({ timeout: 1_000, signal: controller.signal }, endless).catch((error: unknown) => error);
  const reason = new Error("changed my mind");
  controller.abort(reason);
  expect(await outcome).toBe(reason);
  expect(jest.getTimerCount()).toBe(0);
});

test("a signal that was given before lets nothing begin", async () => {
  const work = jest.fn(endless);
  await expect(withinLimits({ signal: AbortSignal.abort() }, work)).rejects.toMatchObject({ name: "AbortError" });
  expect(work).not.toHaveBeenCalled();
});

test("0 is no limit", async () => {
  const outcome = withinLimits({ timeout: 0 }, async () => "late");
  expect(jest.getTimerCount()).toBe(0);
  await expect(outcome).resolves.toBe("late");
});

test.each([-1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])("%p is no time", async (timeout) => {
  await expect(withinLimits({ timeout }, endless)).rejects.toThrow(RangeError);
});
