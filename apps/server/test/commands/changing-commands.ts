import type { AuditEvent } from "@sallyport/storage";

/** The subject of an event. */
type About = Partial<Pick<AuditEvent, "appNames" | "macroName" | "providerName">> & {
  /** Name, value before and value after. Default: none. */
  readonly changes?: readonly Told[];
  readonly user?: string;
  readonly appKey?: string;
};

type Told = readonly [name: string, before: unknown, after: unknown];

interface Row {
  readonly command: string;
  /** The expected events, in order. */
  readonly events: readonly (readonly [AuditEvent["type"], About])[];
}

/** The link that `provider unlink` removes. */
export const linkId = "11111111-2222-4333-8444-555555555555";
/** A link whose second factor `second-factor remove-link` removes. */
export const linkWithFactor = "22222222-2222-4333-8444-555555555555";
const password = "--password-file password.txt";
const audited = (command: string, type: AuditEvent["type"], about: About): Row => ({
  command,
  events: [[type, about]],
});

const phoneRule = { kind: "device", deviceId: "phone-1", access: "forbid", reason: "" };

/** Every command that changes something, in sequence, with its events: those of the server, and after `--local` of the operator. */
export const changingCommands: readonly Row[] = [
  audited("--local app create office", "app.created", {
    changes: [["seatKind", null, "concurrent"]],
    appNames: ["office"],
  }),
  {
    command: "--local app create field --second-factor forced",
    events: [
      ["app.created", { appNames: ["field"], changes: [["seatKind", null, "concurrent"]] }],
      ["appSecondFactor.required", { appNames: ["field"], changes: [["secondFactor", "off", "forced"]] }],
    ],
  },
  audited("--local app seats office 3 --seat-kind user", "appSeats.changed", {
    changes: [
      ["seats", null, 3],
      ["seatKind", "concurrent", "user"],
    ],
    appNames: ["office"],
  }),
  audited("--local app second-factor office optional", "appSecondFactor.allowed", {
    changes: [["secondFactor", "off", "optional"]],
    appNames: ["office"],
  }),
  audited("--local app second-factor office forced", "appSecondFactor.required", {
    changes: [["secondFactor", "optional", "forced"]],
    appNames: ["office"],
  }),
  audited("--local app second-factor office off", "appSecondFactor.disabled", {
    changes: [["secondFactor", "forced", "off"]],
    appNames: ["office"],
  }),
  audited("--local app-key create tablet --app-name office", "appKey.created", {
    changes: [
      ["name", null, "tablet"],
      ["scope", null, "app"],
      ["appNames", null, ["office"]],
    ],
    appKey: "tablet",
  }),
  audited("console-link", "consoleTicket.issued", {}),
  audited("app-key import scale --key-file key.txt", "appKey.created", {
    changes: [
      ["name", null, "scale"],
      ["scope", null, "app"],
    ],
    appKey: "scale",
  }),
  audited("--local app-key disable tablet", "appKey.disabled", {
    changes: [["enabled", true, false]],
    appKey: "tablet",
  }),
  audited("--local app-key enable tablet", "appKey.enabled", { changes: [["enabled", false, true]], appKey: "tablet" }),
  audited(`--local user create ada ${password}`, "account.created", {
    changes: [
      ["name", null, "ada"],
      ["administrator", null, false],
    ],
    user: "ada",
  }),
  audited("--local user disable ada", "account.disabled", { changes: [["enabled", true, false]], user: "ada" }),
  audited("--local user enable ada", "account.enabled", { changes: [["enabled", false, true]], user: "ada" }),
  audited("--local user set-email ada ada@example.com", "account.changed", {
    changes: [["email", null, "ada@example.com"]],
    user: "ada",
  }),
  audited("--local user set-email ada --none", "account.changed", {
    changes: [["email", "ada@example.com", null]],
    user: "ada",
  }),
  audited("--local user set-password ada --password-file other.txt", "password.changed", { user: "ada" }),
  audited("--local ban add --user ada --reason lost", "ban.added", {
    changes: [["ban", null, expect.objectContaining({ kind: "user", reason: "lost" })]],
    user: "ada",
  }),
  audited("--local ban remove --user ada", "ban.removed", {
    changes: [["ban", expect.objectContaining({ kind: "user", reason: "lost" }), null]],
    user: "ada",
  }),
  audited("--local ban add --address 192.0.2.7", "ban.added", {
    changes: [["ban", null, expect.objectContaining({ network: "192.0.2.7" })]],
  }),
  audited("--local ban remove --address 192.0.2.7", "ban.removed", {
    changes: [["ban", expect.objectContaining({ network: "192.0.2.7" }), null]],
  }),
  audited("--local device register phone-1 --user ada", "device.registered", {
    changes: [["deviceId", null, "phone-1"]],
    user: "ada",
  }),
  audited("--local device forget phone-1 --user ada", "device.forgotten", {
    changes: [["deviceId", "phone-1", null]],
    user: "ada",
  }),
  audited("--local app allow office --user ada", "appRule.allowed", {
    changes: [["rule", null, expect.objectContaining({ kind: "user", access: "allow" })]],
    user: "ada",
    appNames: ["office"],
  }),
  audited("--local app forbid office --device phone-1", "appRule.forbidden", {
    changes: [["rule", null, phoneRule]],
    appNames: ["office"],
  }),
  audited("--local app clear-rule office --device phone-1", "appRule.removed", {
    changes: [["rule", phoneRule, null]],
    appNames: ["office"],
  }),
  audited(`--local custom-user create zoe --user reader ${password}`, "customUser.created", {
    changes: [
      ["name", null, "zoe"],
      ["userId", null, expect.any(String)],
    ],
    user: "reader",
  }),
  audited("--local custom-user set-email zoe zoe@example.com", "customUser.changed", {
    changes: [["email", null, "zoe@example.com"]],
    user: "reader",
  }),
  audited("--local custom-user set-password zoe --password-file other.txt", "customPassword.changed", {
    user: "reader",
  }),
  audited("--local custom-user disable zoe", "customUser.disabled", {
    changes: [["enabled", true, false]],
    user: "reader",
  }),
  audited("--local custom-user enable zoe", "customUser.enabled", {
    changes: [["enabled", false, true]],
    user: "reader",
  }),
  audited("--local custom-user map zoe demo", "customUser.changed", {
    changes: [["userId", expect.any(String), expect.any(String)]],
    user: "reader",
  }),
  audited("--local custom-user remove zoe", "customUser.removed", {
    changes: [
      ["name", "zoe", null],
      ["userId", expect.any(String), null],
      ["email", "zoe@example.com", null],
      ["enabled", true, null],
    ],
    user: "demo",
  }),
  audited("--local second-factor remove reader --app-name office", "secondFactor.removed", {
    user: "reader",
    appNames: ["office"],
  }),
  audited(`second-factor remove-link ${linkWithFactor}`, "secondFactor.removed", {}),
  audited("macro put Greet.js", "macro.stored", {
    changes: [
      ["version", null, 1],
      ["language", null, "js"],
    ],
    macroName: "Greet",
  }),
  audited("macro remove Greet", "macro.removed", {
    changes: [
      ["version", 1, null],
      ["language", "js", null],
    ],
    macroName: "Greet",
  }),
  audited("--local provider add google --data-file provider.json", "provider.stored", {
    changes: [
      ["name", null, "google"],
      ["data.clientId", null, "sallyport.apps"],
      ["data.clientSecret", null, "***"],
    ],
    providerName: "google",
  }),
  audited("--local provider add google --data-file provider.json --default-user reader", "provider.stored", {
    changes: [["defaultUserId", null, expect.any(String)]],
    providerName: "google",
  }),
  audited(`--local provider unlink ${linkId}`, "link.removed", { user: "reader", providerName: "google" }),
  audited("--local provider remove google", "provider.removed", {
    changes: [
      ["name", "google", null],
      ["defaultUserId", expect.any(String), null],
    ],
    providerName: "google",
  }),
  audited("--local key rotate jwt", "jwtKey.rotated", {}),
  audited("--local key rotate rsa", "rsaKey.rotated", {}),
  audited("key reseal", "secrets.resealed", {}),
  audited("file collect --older-than 0s", "files.collected", {}),
  audited("--local limits set sessions.limit=7 rates.address.perMinute=10/s", "limits.changed", {
    changes: [
      ["sessions.limit", null, 7],
      ["rates.address.perMinute", null, 600],
    ],
  }),
  audited("--local limits unset rates.address.perMinute", "limits.changed", {
    changes: [["rates.address.perMinute", 600, null]],
  }),
  audited("--local maintenance on", "maintenance.started", { changes: [["maintenance", false, true]] }),
  audited("--local maintenance off", "maintenance.ended", { changes: [["maintenance", true, false]] }),
  audited("restart-sync", "sync.restarted", {}),
  {
    command: "recover --force",
    events: [
      ["sync.restarted", {}],
      ["database.recovered", {}],
    ],
  },
];
