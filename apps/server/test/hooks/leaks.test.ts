import { MacroStore } from "@sallyport/core";
import { pino } from "pino";
import { call, tryLogIn } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { repositoriesOf } from "../repositories-of.ts";

test("an authentication hook cannot leak the password to a log or an answer", async () => {
  const lines: string[] = [];
  const server = await startDemoServer(
    "memory",
    { LOG_LEVEL: "trace", DEBUG_MESSAGES: "true" },
    pino({ level: "trace" }, { write: (line: string) => void lines.push(line) }),
  );
  try {
    const macros = new MacroStore(repositoriesOf(server));
    const pass = 'open "sesame" \\ now';
    const texts = [
      "log('word', pass, { pass }); return null;",
      "throw new Error('so ' + pass);",
      "refuse(403, 'no ' + pass);",
      "throw { [pass]: pass };",
      "return pass;",
    ];
    for (const run of texts) {
      const text = `import { defineHook, refuse } from "@sallyport/macros";\nexport default defineHook({ on: "xRestApi_Authenticate", run(user, pass, appNames, { log }) { ${run} } });\n`;
      await macros.put({ name: "xRestApi_Authenticate", text, language: "js", changedBy: "test" }, null);
      const answer = await call(server, "/v1/auth/df", {
        method: "POST",
        body: { user: "anybody", pass, appNames: "demo-app" },
      });
      expect(["302", "710"]).toContain(answer.code);
      expect(JSON.stringify(answer.body)).not.toMatch(/sesame/);
    }
    await tryLogIn(server, "demo");
  } finally {
    await server.close();
  }
  expect(lines.some((line) => line.includes("word *** "))).toBe(true);
  expect(lines.filter((line) => line.includes("sesame"))).toEqual([]);
});
