import { Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../language/language.tsx";
import { ButtonLink } from "./links.tsx";

export function NotFound() {
  const texts = useTexts();
  return (
    <Stack align="flex-start">
      <Title order={1} size="h3">
        {texts.shell.notFound}
      </Title>
      <Link to="/">{texts.shell.toStart}</Link>
    </Stack>
  );
}

/** In place of a page that the rights of the person do not include. */
export function ForAdministrators() {
  const texts = useTexts();
  return (
    <Stack align="center" ta="center" py="xl">
      <ThemeIcon variant="light" size={56} radius="xl">
        <IconLock size={28} />
      </ThemeIcon>
      <Title order={1} size="h3">
        {texts.shell.forAdministrators}
      </Title>
      <Text c="dimmed" maw={420}>
        {texts.shell.forAdministratorsHelp}
      </Text>
      <ButtonLink to="/" variant="default">
        {texts.shell.toOverview}
      </ButtonLink>
    </Stack>
  );
}
