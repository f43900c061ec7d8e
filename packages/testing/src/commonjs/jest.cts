import load = require("./load.cts");

const { extendExpect } = load("../matchers/matchers.js") as { extendExpect(globals: object): void };
extendExpect(globalThis);
