import { duration, durationText } from "./field-kinds.ts";

const { schema } = duration("10ms", "2d");

test.each([
  ["10ms", 10],
  ["1500ms", 1_500],
  ["15s", 15_000],
  ["30m", 1_800_000],
  ["12h", 43_200_000],
  ["2d", 172_800_000],
])("%s is %d ms", (text, milliseconds) => {
  expect(schema.parse(text)).toBe(milliseconds);
});

test.each(["", "5", "5 s", "5S", "-5s", "1.5s", "s", "9ms", "3d", "1h30m", "9999999999s", 5, null, undefined])(
  "%p is refused",
  (value) => {
    expect(schema.safeParse(value).success).toBe(false);
  },
);

test.each([
  [0, "0s"],
  [1, "1ms"],
  [90_000, "90s"],
  [3_600_000, "1h"],
  [86_400_000, "1d"],
])("%d ms is spelled %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});
