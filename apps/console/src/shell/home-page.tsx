import { Alert, Card, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import classes from "./home-page.module.css";
import { ButtonLink } from "./links.tsx";
import { useAdministrationPages } from "./side-bar.tsx";

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
      {pages.length > 0 && (
        <div className={classes["cards"]}>
          {pages.map(({ to, name, help, Icon }) => (
            <Card key={to} withBorder padding="md" component={Link} to={to} className={classes["card"] ?? ""}>
              <Group wrap="nowrap" align="flex-start">
                <ThemeIcon variant="light" size="lg">
                  <Icon size={20} />
                </ThemeIcon>
                <div>
                  <Text fw={600}>{name}</Text>
                  <Text size="sm" c="dimmed">
                    {help}
                  </Text>
                </div>
              </Group>
            </Card>
          ))}
        </div>
      )}
    </Stack>
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
