/** The page before the dashboard: user name and password, or a token of another issuer. */
import { Alert, Anchor, Button, Paper, PasswordInput, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { demoAccounts } from '../api/demo.ts'
import { errorText, Problem } from '../api/problem.ts'
import { usePastedToken as enterWithToken, signIn } from '../api/session.ts'

export function SignIn() {
  const [isPasting, setPasting] = useState(false)
  return (
    <Stack component="main" align="center" justify="center" mih="100dvh" p="md">
      <Paper withBorder p="xl" w="100%" maw={400} radius="lg" className="card">
        <Title order={1} size="h3">
          Sandbox EMR
        </Title>
        <Text c="dimmed" size="sm" mb="lg">
          Dashboard of the clinic
        </Text>
        {isPasting ? <TokenForm /> : <PasswordForm />}
        {!isPasting && <DemoAccounts />}
        <Text size="sm" mt="lg">
          <Anchor component="button" type="button" onClick={() => setPasting(!isPasting)}>
            {isPasting ? 'Sign in with a password' : 'Use a token of another issuer'}
          </Anchor>
        </Text>
      </Paper>
    </Stack>
  )
}

function PasswordForm() {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const { error, isBusy, submit } = useSubmit(() => signIn(username, password).catch(withoutPasswords))
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="User name"
          autoComplete="username"
          autoFocus
          required
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <FormError text={error} />
        <Button type="submit" loading={isBusy} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

/** One click signs in; elsewhere than in demo mode the server has none. */
function DemoAccounts() {
  // The page appears with them, so that nothing moves.
  const { data: accounts } = useSuspenseQuery(demoAccounts)
  const [error, setError] = useState<string>()
  if (accounts.length === 0) return null
  const enter = (username: string, password: string) =>
    signIn(username, password).catch((problem: Error) => setError(problem.message))
  return (
    <Stack gap="xs" mt="lg" component="section" aria-label="Accounts of the demo">
      <Text size="sm">Accounts of the demo, user name and password:</Text>
      {accounts.map(({ username, password, role }) => (
        <Button key={username} variant="default" onClick={() => enter(username, password)}>
          {username} / {password} ({role})
        </Button>
      ))}
      <FormError text={error} />
    </Stack>
  )
}

/** @throws the problem, or an Error of its own where the server has no accounts */
function withoutPasswords(problem: unknown): never {
  if (!(problem instanceof Problem && problem.status === 404)) throw problem
  throw new Error('This server has no passwords: its tokens come from another issuer. Use one of those.')
}

function TokenForm() {
  const [token, setToken] = useState('')
  const { error, submit } = useSubmit(async () => enterWithToken(token))
  return (
    <form onSubmit={submit}>
      <Stack>
        <Textarea
          label="Token"
          description="A JSON Web Token that this server accepts. It is kept in memory only, and is gone when the page is loaded again."
          required
          minRows={4}
          autosize
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        <FormError text={error} />
        <Button type="submit" fullWidth>
          Use this token
        </Button>
      </Stack>
    </form>
  )
}

export const FormError = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <Alert color="red" variant="light" p="xs" role="alert">
      {text}
    </Alert>
  )

/** @param action carried out on submit; its error is shown in the form */
export function useSubmit(action: () => Promise<void>) {
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await action()
    } catch (problem) {
      setError(errorText(problem))
    } finally {
      setBusy(false)
    }
  }
  return { error, isBusy, submit }
}
