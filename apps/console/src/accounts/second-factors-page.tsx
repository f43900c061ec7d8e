import { Button, Code } from "@mantine/core";
import type { AdministeredFactorData } from "@sallyport/client/admin";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { TextLink } from "../shell/links.tsx";
import { FactorState, useFactorRemoval } from "./second-factors.tsx";

/** The second factors of all users, custom users and linked accounts. */
export function SecondFactorsPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const removalOf = useFactorRemoval();
  const removing = ({ subject, user, app }: AdministeredFactorData) =>
    removalOf(app, {
      title: texts.factors.removeOf(app, user ?? subject),
      remove: () => connection.administer((admin) => admin.factors.remove(subject, { app })),
    });
  const removeButton = (factor: AdministeredFactorData) => (
    <Button
      size="xs"
      variant="default"
      aria-label={`${texts.factors.removeConfirm}: ${factor.user ?? factor.subject}, ${factor.app}`}
      onClick={() => setConfirmed(removing(factor))}
    >
      {texts.factors.removeConfirm}
    </Button>
  );
  const columns = [
    { title: texts.factors.owner, cell: (factor: AdministeredFactorData) => <Owner {...factor} /> },
    { title: texts.factors.app, cell: ({ app }: AdministeredFactorData) => app },
    { title: texts.common.status, cell: (factor: AdministeredFactorData) => <FactorState {...factor} /> },
  ];
  return (
    <>
      <ListPage
        title={texts.factors.title}
        help={texts.factors.help}
        queryKey={["factors"]}
        load={({ after, limit, signal }) =>
          connection.administer((admin) => admin.factors.list({ after, limit, signal }))
        }
        keyOf={({ subject, app }) => `${subject} ${app}`}
        columns={columns}
        empty={texts.factors.emptyOfAll}
        rowActions={mayChange ? removeButton : undefined}
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}

/** A link to the account. A linked account with a shared user has no page. */
function Owner({ subject, user }: AdministeredFactorData) {
  const [kind, id = ""] = subject.split(":");
  if (user === null) return <Code>{subject}</Code>;
  return kind === "custom" ? (
    <TextLink to="/custom-users/$customUserId" params={{ customUserId: id }} fw={500}>
      {user}
    </TextLink>
  ) : (
    <TextLink to="/users/$userId" params={{ userId: id }} fw={500}>
      {user}
    </TextLink>
  );
}
