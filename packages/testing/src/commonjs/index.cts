import type { describeEachMode } from "../agents/describe-each-mode.ts" with { "resolution-mode": "import" };
import load = require("./load.cts");

type DescribeEachMode = typeof describeEachMode;

const testing = load("../index.js") as { readonly describeEachMode: DescribeEachMode };

// The globals of the test runner are those of this module, not those of the loaded one.
const describeHere: DescribeEachMode = (name, body, options) => {
  const { describe } = globalThis as { readonly describe?: NonNullable<typeof options>["describe"] };
  testing.describeEachMode(name, body, { ...(describe === undefined ? {} : { describe }), ...options });
};

export = { ...testing, describeEachMode: describeHere };
