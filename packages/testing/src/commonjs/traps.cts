import load = require("./load.cts");

export = load("../traps/index.js");
