import type { ClassDefinition } from "@sallyport/storage";
import type { Database } from "@sallyport/core";
import { FileStoreFaultScript, withFileStoreFaults } from "@sallyport/testing/faults";
import { fileCodeCases, type Prepared, type User } from "./code-cases.ts";
import { type FileAnswer, form, formType, octets, type Sender, senderOf, startChunk } from "./file-sender.ts";
import { openSession } from "../open-session.ts";
import { onFileServers, countFiles } from "./on-file-servers.ts";
import { testedModes } from "../modes.ts";

/** The codes of all routes of files, in one mode. A refused request leaves no bytes behind. */
await onFileServers("codes of the routes of files", (server) => {
  describe.each(testedModes)("in mode %s", (mode) => {
    const sessions = {} as Record<User, Awaited<ReturnType<typeof openSession>>>;
    const as = (user: User): Sender => senderOf(server, () => sessions[user]);
    const [demo, admin] = [as("demo"), as("admin")];
    const fixed = `ReadOnly_${mode}`;
    const opened: { path: string; send: Sender }[] = [];
    const writing: { destroy: () => unknown }[] = [];
    const database = () => server().databases.get("") as Database;

    beforeAll(async () => {
      for (const user of ["demo", "reader", "admin"] as const) sessions[user] = await openSession(server(), mode, user);
      const { model } = database().storage.repositories;
      const rights = [{ group: "*", permissions: ["read"] }] as const;
      const put: ClassDefinition[] = [{ name: fixed, base: "File", attributes: [], rights }];
      await model.change({ put }, (await model.load()).generation);
    });

    const begin = async (send = demo) => {
      const path = `/v1/uploadFile/${(await send("GET", "/v1/uploadFile")).data.uploadId}`;
      opened.push({ path, send });
      return path;
    };
    const prepared: Prepared = {
      demo,
      admin,
      fixed,
      begin,
      upload: async (send = demo) => {
        const path = await begin(send);
        await send("POST", path, form(), formType);
        return path;
      },
      gap: async () => {
        const path = await begin();
        await demo("PATCH", path, "abc", { ...octets, "content-range": "bytes 0-2/4" });
        return path;
      },
      busy: async () => {
        const path = await begin();
        writing.push((await startChunk(server(), sessions.demo, path)).request);
        return path;
      },
      store: async (send = demo) => (await send("POST", "/v1/uploadFile", form(), formType)).data["~ObjectID"],
    };

    afterEach(async () => {
      for (const each of writing.splice(0)) each.destroy();
      for (const { path, send } of opened.splice(0)) while ((await send("DELETE", path)).code === "605");
    });

    test.each(fileCodeCases.map((each) => [each.code, each.title, each] as const))(
      "%i: %s",
      async (code, _title, each) => {
        const { request, limits = {}, fault, as: user = "demo" } = each;
        const sent = typeof request === "function" ? await request(prepared) : request;
        const before = countFiles();
        const { policy, files } = database();
        const script = new FileStoreFaultScript();
        if (fault !== undefined) script.add({ call: fault[0], fault: fault[1] });
        const answer = await whileChanged(
          database(),
          { policy: { ...policy, files: { ...policy.files, ...limits } }, files: withFileStoreFaults(files, script) },
          () => as(user)(...sent),
        );
        expect(answer).toMatchObject({ code: String(code) });
        if (code !== 0) expect(countFiles()).toBe(before);
      },
    );
  });
});

async function whileChanged(
  database: Database,
  change: Partial<Database>,
  work: () => Promise<FileAnswer>,
): Promise<FileAnswer> {
  const { policy, files } = database;
  Object.assign(database, change);
  try {
    return await work();
  } finally {
    Object.assign(database, { policy, files });
  }
}
