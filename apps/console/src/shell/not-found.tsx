import { Stack, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../language/language.tsx";

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
