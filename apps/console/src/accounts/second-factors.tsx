import { Badge, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../lists/confirm-dialog.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";

interface SecondFactorsProps {
  readonly of: "users" | "customUsers";
  readonly accountId: string;
}

/** The second factors of an account, which can be lost. */
export function SecondFactors({ of, accountId }: SecondFactorsProps) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const queryKey = ["factors", accountId];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => connection.administer((admin) => admin[of].factors(accountId, { signal })),
  });
  const removing = (app: string): ConfirmedAct => ({
    title: texts.factors.remove(app),
    consequences: texts.factors.removeHelp,
    confirm: texts.factors.removeConfirm,
    act: async () => {
      await connection.administer((admin) => admin[of].removeFactors(accountId, { app }));
      await queries.invalidateQueries({ queryKey });
      showSuccess(texts.factors.removed(app));
    },
  });
  return (
    <Paper withBorder p="lg" bg="var(--console-surface)">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {texts.factors.title}
        </Title>
        {error !== null && <FailureDetails error={error} />}
        {data?.length === 0 && <Text c="dimmed">{texts.factors.empty}</Text>}
        {data?.map(({ app, confirmed: isConfirmed, recoveryCodesLeft }) => (
          <Group key={app} justify="space-between">
            <Group gap="sm">
              <Text fw={500}>{app}</Text>
              <Badge variant="light" tt="none" color={isConfirmed ? "green" : "yellow"}>
                {isConfirmed ? texts.factors.confirmed : texts.factors.unconfirmed}
              </Badge>
              <Text size="sm" c="dimmed">
                {texts.factors.codes(recoveryCodesLeft)}
              </Text>
            </Group>
            <Button size="xs" variant="default" onClick={() => setConfirmed(removing(app))}>
              {texts.factors.removeConfirm}
            </Button>
          </Group>
        ))}
      </Stack>
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </Paper>
  );
}
