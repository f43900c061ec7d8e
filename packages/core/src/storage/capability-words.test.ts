import { capabilityWords } from "./storage.ts";

test("every capability has a word, there or not", () => {
  const all = {
    durable: true,
    severalProcesses: true,
    parallelTransactions: true,
    valueIndexes: true,
    indexesPerTable: 55,
  };
  expect([...capabilityWords(all)]).toEqual([
    ["durable", "durable"],
    ["severalProcesses", "several processes"],
    ["parallelTransactions", "parallel transactions"],
    ["valueIndexes", "indexes over values"],
    ["indexesPerTable", "at most 55 indexes"],
  ]);
  const none = {
    durable: false,
    severalProcesses: false,
    parallelTransactions: false,
    valueIndexes: false,
    indexesPerTable: null,
  };
  expect([...capabilityWords(none).values()]).toEqual([
    "gone with its process",
    "one process",
    "transactions take turns",
    "no indexes over values",
    "as many indexes as wanted",
  ]);
});
