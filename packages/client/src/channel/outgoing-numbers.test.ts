import { OutgoingNumbers } from "./outgoing-numbers.ts";

test("counts from 0", () => {
  const numbers = new OutgoingNumbers();
  expect([numbers.next(), numbers.next(), numbers.next()]).toEqual([0n, 1n, 2n]);
});
