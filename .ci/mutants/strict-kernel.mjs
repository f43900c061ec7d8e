/**
 * A kernel that refuses what the contract of kernels excludes, as databases do: long lists, texts that no database stores, calls
 * that overlap or come late. So the checks notice a default repository that makes such a call.
 */
export function strictKernel(kernel) {
  const accept = (isAllowed, what) => {
    if (!isAllowed) throw new Error(`The contract excludes ${what}.`);
  };
  const acceptTexts = (texts) => {
    for (const text of texts)
      accept(text !== "" && !text.includes("\0") && text.isWellFormed(), `the text ${JSON.stringify(text)}`);
  };
  const acceptList = (list) => accept(list.length <= 1_000, `${list.length} at once`);
  const acceptRange = (_table, { from = "-", to = "-" }, most) => {
    acceptTexts([from, to]);
    accept(Number.isInteger(most) && most >= 0, `the limit ${most}`);
  };

  const during = (work) => async (reader) => {
    let [isOver, isCalled] = [false, false];
    const call =
      (name, check = () => {}) =>
      async (...given) => {
        accept(!isOver, "a call after the end");
        accept(!isCalled, "calls that overlap");
        check(...given);
        isCalled = true;
        try {
          return await reader[name](...given);
        } finally {
          isCalled = false;
        }
      };
    const guarded = {
      get: call("get", (_table, keys) => {
        acceptList(keys);
        acceptTexts(keys);
      }),
      range: call("range", acceptRange),
      count: call("count", acceptRange),
      now: call("now"),
      watermark: call("watermark"),
      stamp: call("stamp"),
      delete: call("delete", (_table, keys) => acceptTexts(keys)),
      put: call("put", (_table, rows) => {
        acceptList(rows);
        // Databases store texts of JSON.
        JSON.stringify(rows);
        acceptTexts(rows.flatMap(({ key, places }) => [key, ...Object.values(places).flat()]));
      }),
    };
    try {
      return await work(guarded);
    } finally {
      isOver = true;
    }
  };
  return {
    version: kernel.version,
    capabilities: kernel.capabilities,
    read: async (work) => kernel.read(during(work)),
    transaction: async (work) => kernel.transaction(during(work)),
    migrate: async (tables) => kernel.migrate(tables),
    health: async () => kernel.health(),
    close: async () => kernel.close(),
  };
}
