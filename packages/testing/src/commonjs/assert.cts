import load = require("./load.cts");

export = load("../matchers/assert.js");
