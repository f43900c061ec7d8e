import { Card, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import classes from "./home-page.module.css";
import { useAdministrationPages } from "./side-bar.tsx";

export function HomePage() {
  const texts = useTexts();
  const { user, databaseName, isAdministrator } = usePerson();
  const pages = useAdministrationPages();
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2">
          {texts.home.welcome(user)}
        </Title>
        <Text c="dimmed">{texts.home.database(databaseName)}</Text>
      </div>
      {isAdministrator && (
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
