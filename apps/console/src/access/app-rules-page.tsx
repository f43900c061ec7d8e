import { Badge, Button, Code, Group, Stack, Text } from "@mantine/core";
import type { AdministeredAppRulesData } from "@sallyport/client/admin";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { NewAppRule } from "./new-app-rule.tsx";

type Rule = AdministeredAppRulesData["rules"][number];

/** Which users, devices and groups may use an app name. */
export function AppRulesPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const queries = useQueryClient();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const subjectOf = ({ user, userId, deviceId, group, groupId }: AdministeredAppRulesData) => {
    const named = [user ?? userId, deviceId, group ?? groupId].filter((each) => each !== null);
    return named.length === 0 ? texts.appRules.everyone : named.join(" · ");
  };
  const removing = (rules: AdministeredAppRulesData, { app }: Rule): ConfirmedAct => ({
    title: texts.appRules.remove(app, subjectOf(rules)),
    consequences: texts.appRules.removeHelp,
    confirm: texts.appRules.removeConfirm,
    act: async () => {
      const { userId, deviceId, groupId } = rules;
      const { ended } = await connection.administer((admin) =>
        admin.appRules.set({ app, access: null, userId, deviceId, groupId }),
      );
      await Promise.all(["app-rules", "sessions"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      showSuccess(texts.sessions.ended(ended));
    },
  });
  const columns = [
    {
      title: texts.appRules.subject,
      cell: (rules: AdministeredAppRulesData) => (
        <Stack gap={0}>
          {rules.deviceId === null ? (
            <Text size="sm" fw={500}>
              {subjectOf(rules)}
            </Text>
          ) : (
            <>
              {rules.userId !== null && (
                <Text size="sm" fw={500}>
                  {rules.user ?? rules.userId}
                </Text>
              )}
              <Code w="fit-content">{rules.deviceId}</Code>
            </>
          )}
          {rules.groupId !== null && (
            <Text size="xs" c="dimmed">
              {texts.appRules.group}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      title: texts.appRules.rules,
      cell: (rules: AdministeredAppRulesData) => (
        <Stack gap="xs">
          {rules.rules.map((rule) => (
            <Group key={rule.app} gap="xs">
              <Text size="sm">{rule.app}</Text>
              <Badge variant="light" tt="none" color={rule.access === "allow" ? "green" : "red"}>
                {texts.appRules.accesses[rule.access]}
              </Badge>
              <Text size="xs" c="dimmed">
                {rule.reason}
              </Text>
              {mayChange && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={texts.appRules.remove(rule.app, subjectOf(rules))}
                  onClick={() => setConfirmed(removing(rules, rule))}
                >
                  {texts.appRules.removeConfirm}
                </Button>
              )}
            </Group>
          ))}
        </Stack>
      ),
    },
  ];
  return (
    <>
      <ListPage
        title={texts.appRules.title}
        help={texts.appRules.help}
        queryKey={["app-rules"]}
        load={({ after, limit, signal }) =>
          connection.administer((admin) => admin.appRules.list({ after, limit, signal }))
        }
        keyOf={({ id }) => id}
        columns={columns}
        empty={texts.appRules.empty}
        actions={mayChange && <NewAppRule />}
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}
