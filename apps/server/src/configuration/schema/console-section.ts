import { flag, listOf, text } from "../field-kinds.ts";
import { field, optionalField, section } from "../fields.ts";
import { isListenerAddress, isNetwork } from "./network-texts.ts";
import { ownSection } from "./policy-sections.ts";

/** The colors that have a name. */
const colors: readonly string[] = [
  "gray",
  "red",
  "pink",
  "grape",
  "violet",
  "indigo",
  "blue",
  "cyan",
  "teal",
  "green",
  "lime",
  "yellow",
  "orange",
];

const color = text({
  expected: `${colors.slice(0, -1).join(", ")} or ${colors.at(-1)}, or six hexadecimal digits such as #1c7ed6`,
  fits: (value) => colors.includes(value) || /^#[0-9a-f]{6}$/i.test(value),
});

const oneLine = text({
  expected: "one line of 1 to 60 characters",
  fits: (value) => value.trim() !== "" && value.length <= 60 && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value),
});

/** What the console shows of a database before the log-in. Every client can read it. */
const look = {
  label: optionalField("CONSOLE_LABEL", oneLine, {
    doc: "Text that tells the console of this database from others, such as `Production`. Every client can read it.",
  }),
  color: optionalField("CONSOLE_COLOR", color, {
    doc: "Color of the console of this database: a name such as `red`, or six hexadecimal digits such as `#c92a2a`.",
  }),
  appKey: optionalField("CONSOLE_APP_KEY", text(), {
    doc: "App key with which users who are no administrators log in to the console. Every client can read it. Without it, only administrators can log in.",
  }),
};

/** The console in the browser, and from where it and the administration routes are reached. */
export const consoleSection = section({
  enabled: field("CONSOLE_ENABLED", flag(), true, {
    doc: "Serves the console at `/console` of each database. Without it, its paths fail with 304.",
  }),
  ...look,
  appName: optionalField("CONSOLE_APP_NAME", text(), {
    doc: "App name of log-ins to the console with `appKey`. Every client can read it.",
  }),
  allow: field(
    "CONSOLE_ALLOW",
    listOf(text({ expected: "an IP address or a network such as 10.0.0.0/8", fits: isNetwork })),
    [],
    {
      doc: "IP addresses and networks from which the console and the administration routes are reached. For other clients, their paths fail with 304. Empty allows all.",
    },
  ),
  listen: optionalField(
    "CONSOLE_LISTEN",
    text({
      expected: "an address and a port, such as 127.0.0.1:8081 or [::1]:8081",
      fits: isListenerAddress,
    }),
    {
      doc: "Address and port of a listener of its own for the console and the administration routes. On the other listener, their paths fail with 304.",
    },
  ),
});

export const ownConsoleSection = ownSection(look);
