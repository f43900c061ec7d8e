import { allPages } from "@sallyport/storage";
import { listAppRules, setAppRule, type ShownSubject } from "@sallyport/core";
import { type JsonOptions, printList } from "../list-command.ts";
import { advising } from "../report-failure.ts";
import type { ServerCommand, Work } from "../server-command.ts";
import { type RehearsalOptions, reportEnded, withRehearsal } from "./rule-arguments.ts";

interface RuleOptions extends RehearsalOptions {
  readonly user?: string;
  readonly device?: string;
  readonly group?: string;
}

/** `app allow|forbid|clear-rule|rules`. */
export function defineAppRules(group: ServerCommand, advice: string): void {
  const change = (verb: string, description: string) =>
    withRehearsal(
      group
        .command(verb)
        .description(description)
        .argument("<name>", "the app name")
        .option("--user <name>", "log-in name of the user")
        .option("--device <id>", "device id, as the client sends it; with --user, only this user on the device")
        .option("--group <name>", "name of the user group"),
    );
  const set =
    (access: "allow" | "forbid" | null, done: string) =>
    (app: string, options: RuleOptions): Work =>
    async ({ administration }) => {
      const { reason = "", dryRun: rehearse = false } = options;
      const input = { ...options, app, access, reason, rehearse };
      const ended = await advising(208, advice, () => setAppRule(administration, input));
      reportEnded(`${done} "${app}" ${access === null ? "of" : "for"} ${targetOf(options)}.`, ended, options);
    };
  change("allow", "allow an app name for a user, a device, a group, or everyone").onDatabase(set("allow", "Allowed"));
  change(
    "forbid",
    "forbid an app name for a user, a device, a group, or everyone, and end the sessions concerned",
  ).onDatabase(set("forbid", "Forbade"));
  change("clear-rule", "remove the rule of a user, a device, a group, or everyone").onDatabase(
    set(null, "Removed the rule about"),
  );
  group.command("rules").description("list the rules about app names").option("--json", "print JSON").onDatabase(list);
}

function list(options: JsonOptions): Work {
  return async ({ administration }) => {
    const all = await allPages(
      (page) => listAppRules(administration, page),
      ({ id }) => id,
    );
    const rules = all.flatMap(({ rules: each, ...subject }) => each.map((rule) => ({ ...subject, ...rule })));
    if (rules.length === 0 && !options.json) {
      console.error("There are no rules.");
      return;
    }
    printList(
      rules,
      {
        json: ({ app, access, reason, userName, userId, deviceId, groupName, groupId }) => {
          const subject = { user: userName || null, userId, deviceId, group: groupName || null, groupId };
          return { app, access, ...subject, reason };
        },
        columns: {
          APP: ({ app }) => app,
          ACCESS: ({ access }) => access,
          FOR: (rule) => shownSubject(rule),
          REASON: ({ reason }) => reason || "none",
        },
      },
      options,
    );
  };
}

function targetOf({ user, device, group }: RuleOptions): string {
  if (group !== undefined) return `group "${group}"`;
  const named = [user === undefined ? [] : `user "${user}"`, device === undefined ? [] : `device "${device}"`].flat();
  return named.join(" on ") || "everyone";
}

function shownSubject({ userName, userId, deviceId, groupName, groupId }: ShownSubject): string {
  const user = userId === null ? [] : `user ${userName || userId}`;
  const device = deviceId === null ? [] : `device ${deviceId}`;
  const group = groupId === null ? [] : `group ${groupName || groupId}`;
  return [user, device, group].flat().join(" on ") || "everyone";
}
