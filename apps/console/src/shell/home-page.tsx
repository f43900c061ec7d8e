import { Alert, Button, Group, Skeleton, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { spotlight } from "@mantine/spotlight";
import { IconSearch, IconTable } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { ownFirst, useClasses, useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";
import classes from "./home-page.module.css";
import { ButtonLink, CardLink } from "./links.tsx";
import { useAdministrationPages } from "./side-bar.tsx";

/** Of classes. The search leads to more of them. */
const mostCards = 24;

export function HomePage() {
  const texts = useTexts();
  const { user, databaseName, mayChange } = usePerson();
  const pages = useAdministrationPages();
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2">
          {texts.home.welcome(user)}
        </Title>
        <Text c="dimmed">{texts.home.database(databaseName)}</Text>
      </div>
      {mayChange && <FirstStepsNote />}
      {pages.length === 0 ? (
        <ClassCards />
      ) : (
        <div className={classes["cards"]}>
          {pages.map(({ to, name, help, Icon }) => (
            <CardLink key={to} withBorder padding="md" to={to} className={classes["card"] ?? ""}>
              <CardContent name={name} help={help} Icon={Icon} />
            </CardLink>
          ))}
        </div>
      )}
    </Stack>
  );
}

interface CardContentProps {
  readonly name: string;
  readonly help: string;
  readonly Icon: typeof IconTable;
}

function CardContent({ name, help, Icon }: CardContentProps) {
  return (
    <Group wrap="nowrap" align="flex-start">
      <ThemeIcon variant="light" size="lg">
        <Icon size={20} />
      </ThemeIcon>
      <div className={classes["text"]}>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {help}
        </Text>
      </div>
    </Group>
  );
}

/** The classes that the person can read, for those who have no pages of the administration. */
function ClassCards() {
  const texts = useTexts();
  const { data, error } = useClasses();
  if (error !== null) return <FailureDetails error={error} />;
  if (data === undefined) return <Skeleton height={220} role="status" aria-label={texts.common.loading} />;
  const readable = ownFirst(data).filter(({ permissions }) => permissions.includes("read"));
  if (readable.length === 0) return <Text c="dimmed">{texts.shell.noClasses}</Text>;
  return (
    <>
      <Title order={2} size="h4">
        {texts.shell.classes}
      </Title>
      <div className={classes["cards"]}>
        {readable.slice(0, mostCards).map(({ name, permissions }) => (
          <CardLink
            key={name}
            withBorder
            padding="md"
            to="/classes/$className"
            params={{ className: name }}
            className={classes["card"] ?? ""}
          >
            <CardContent
              name={name}
              help={permissions.map((permission) => texts.rights.permissions[permission]).join(" · ")}
              Icon={IconTable}
            />
          </CardLink>
        ))}
      </div>
      {readable.length > mostCards && (
        <Group>
          <Text c="dimmed">{texts.home.moreClasses(readable.length - mostCards)}</Text>
          <Button variant="default" leftSection={<IconSearch size={16} />} onClick={spotlight.open}>
            {texts.shell.palette}
          </Button>
        </Group>
      )}
    </>
  );
}

/** Offers the first steps until there is an app key of an application. */
function FirstStepsNote() {
  const texts = useTexts();
  const connection = useConnection();
  const { data } = useQuery({
    queryKey: ["app-keys", "any"],
    queryFn: ({ signal }) => connection.administer((admin) => admin.appKeys.list({ signal })),
  });
  if (data === undefined || data.next !== null || data.items.some(({ scope }) => scope === "app")) return null;
  return (
    <Alert>
      <Group justify="space-between">
        <Text size="sm">{texts.firstSteps.begin}</Text>
        <ButtonLink to="/first-steps">{texts.firstSteps.title}</ButtonLink>
      </Group>
    </Alert>
  );
}
