import { Stack, Text } from "@mantine/core";
import { usePerson } from "../connection/connection-context.tsx";
import { databaseUrl } from "../connection/page-config.ts";
import { useTexts } from "../language/language.tsx";
import { Copyable } from "../notices/copyable.tsx";
import { ButtonLink } from "../shell/links.tsx";
import type { FirstApp } from "./first-app-form.tsx";

/** A text as one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The password is asked for, so that it gets into no history. In JSON, two of its characters need a backslash. */
const askForPassword = "printf 'Password: '; read -rs PASSWORD; echo";
const passwordInJson = String.raw`"$(printf %s "$PASSWORD" | sed 's/[\\"]/\\&/g')"`;

/** A log-in with curl, for bash and zsh. */
function logInCommand(user: string, { name, key: { key } }: FirstApp): string {
  const fields = JSON.stringify({ user, appNames: [name] }).slice(0, -1);
  return [
    askForPassword,
    `curl -sS -w '\\n' ${quoted(`${databaseUrl}/v1/login`)} \\`,
    `  -H ${quoted(`appkey: ${key}`)} -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(`${fields},"pass":"`)}${passwordInJson}'"}'`,
  ].join("\n");
}

interface FirstRequestProps {
  readonly app: FirstApp;
  /** Names of the classes that were created. */
  readonly classes: readonly string[];
}

/** Shows a request of the application that works. */
export function FirstRequest({ app, classes }: FirstRequestProps) {
  const texts = useTexts();
  const { user } = usePerson();
  const command = logInCommand(user, app);
  const [className] = classes;
  return (
    <Stack>
      <Text size="sm">{texts.firstSteps.requestHelp}</Text>
      <Copyable label={texts.setUp.command} text={command} copy={texts.setUp.copyCommand}>
        {className === undefined ? (
          <ButtonLink to="/">{texts.shell.toStart}</ButtonLink>
        ) : (
          <ButtonLink to="/classes/$className" params={{ className }}>
            {texts.firstSteps.openClass(className)}
          </ButtonLink>
        )}
      </Copyable>
    </Stack>
  );
}
