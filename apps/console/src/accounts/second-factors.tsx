import { Badge, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { AdministeredFactorData } from "@sallyport/client/admin";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";

interface SecondFactorsProps {
  readonly of: "users" | "customUsers";
  readonly accountId: string;
}

/** The second factors of an account, which can be lost. */
export function SecondFactors({ of, accountId }: SecondFactorsProps) {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const { data, error } = useQuery({
    queryKey: ["factors", accountId],
    queryFn: ({ signal }) => connection.administer((admin) => admin[of].factors(accountId, { signal })),
  });
  const removalOf = useFactorRemoval();
  const removing = (app: string) =>
    removalOf(app, {
      title: texts.factors.remove(app),
      remove: () => connection.administer((admin) => admin[of].removeFactors(accountId, { app })),
    });
  return (
    <Paper withBorder p="lg" bg="var(--console-surface)">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {texts.factors.title}
        </Title>
        {error !== null && <FailureDetails error={error} />}
        {data?.length === 0 && <Text c="dimmed">{texts.factors.empty}</Text>}
        {data?.map(({ app, ...factor }) => (
          <Group key={app} justify="space-between">
            <Group gap="sm">
              <Text fw={500}>{app}</Text>
              <FactorState {...factor} />
            </Group>
            {mayChange && (
              <Button size="xs" variant="default" onClick={() => setConfirmed(removing(app))}>
                {texts.factors.removeConfirm}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </Paper>
  );
}

/** Whether log-ins need the factor, and what is left of its recovery codes. */
export function FactorState({
  confirmed,
  recoveryCodesLeft,
}: Pick<AdministeredFactorData, "confirmed" | "recoveryCodesLeft">) {
  const texts = useTexts();
  return (
    <Group gap="sm" wrap="nowrap">
      <Badge variant="light" tt="none" color={confirmed ? "green" : "yellow"} flex="none">
        {confirmed ? texts.factors.confirmed : texts.factors.unconfirmed}
      </Badge>
      <Text size="sm" c="dimmed">
        {texts.factors.codes(recoveryCodesLeft)}
      </Text>
    </Group>
  );
}

/** Makes the act that removes a factor of an app name. */
export function useFactorRemoval() {
  const texts = useTexts();
  const queries = useQueryClient();
  return (app: string, { title, remove }: { readonly title: string; remove(): Promise<void> }): ConfirmedAct => ({
    title,
    consequences: texts.factors.removeHelp,
    confirm: texts.factors.removeConfirm,
    act: async () => {
      await remove();
      await queries.invalidateQueries({ queryKey: ["factors"] });
      showSuccess(texts.factors.removed(app));
    },
  });
}
