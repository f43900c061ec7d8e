import load = require("./load.cts");

const { extendExpect } = load("../matchers/extend-expect.js") as { extendExpect(globals: object): void };
extendExpect(globalThis);
