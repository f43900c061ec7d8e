import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Rights } from "../connection/connection.ts";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { DialogButton, DialogForm } from "../page-parts/dialog.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { GroupPicker } from "./group-picker.tsx";
import { isPasswordRefusal, NewPasswordInput } from "./new-password-input.tsx";
import { RightsSelect } from "./rights-select.tsx";

export function NewUser() {
  const texts = useTexts();
  return <DialogButton name={texts.users.create}>{(close) => <NewUserForm onClose={close} />}</DialogButton>;
}

function NewUserForm({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({
    initialValues: {
      name: "",
      password: "",
      description: "",
      email: "",
      rights: null as Rights,
      groups: [] as readonly string[],
    },
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ description, email, groups, rights, ...user }: typeof form.values) =>
      connection.administer((admin) =>
        admin.users.create({
          ...user,
          groups: [...groups],
          ...(rights === null ? {} : { rights }),
          email: email === "" ? null : email,
          ...(description === "" ? {} : { description }),
        }),
      ),
    onSuccess: async ({ userId, name }) => {
      await queries.invalidateQueries({ queryKey: ["users"] });
      showSuccess(texts.users.created(name));
      await navigate({ to: "/users/$userId", params: { userId } });
    },
  });
  return (
    <DialogForm
      submit={texts.common.create}
      isPending={isPending}
      error={isPasswordRefusal(error) ? null : error}
      failure={texts.users.notCreated}
      onSubmit={form.onSubmit((values) => mutate(values))}
      onClose={onClose}
    >
      <TextInput
        label={texts.common.name}
        description={texts.users.nameHelp}
        required
        autoComplete="off"
        data-autofocus
        {...form.getInputProps("name")}
      />
      <NewPasswordInput of="users" {...form.getInputProps("password")} error={error} />
      <TextInput label={texts.common.description} {...form.getInputProps("description")} />
      <TextInput
        label={texts.users.email}
        description={texts.users.emailHelp}
        type="email"
        {...form.getInputProps("email")}
      />
      <GroupPicker {...form.getInputProps("groups")} />
      <RightsSelect value={form.values.rights} onChange={(rights) => form.setFieldValue("rights", rights)} />
    </DialogForm>
  );
}
