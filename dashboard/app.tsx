/** The dashboard as a whole: the look, what is kept of the server's answers, the session, and then the page of the address. */
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, useEffect } from 'react'
import { newQueryClient } from './api/query-client.ts'
import { resumeSession } from './api/session.ts'
import { useSession } from './api/use-session.ts'
import { nonce } from './parts/nonce.ts'
import { SignIn } from './parts/sign-in.tsx'
import { SignInAgain } from './parts/sign-in-again.tsx'
import { cssVariables, theme } from './parts/theme.ts'
import { router } from './router.tsx'

const queryClient = newQueryClient()
void resumeSession()

export function App() {
  return (
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={nonce}
      >
        <Notifications position="bottom-right" limit={4} />
        <QueryClientProvider client={queryClient}>
          <Entrance />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  )
}

function Entrance() {
  const state = useSession()
  useEffect(() => {
    // Nothing of one user is shown to the next.
    if (state.kind === 'signed-out') queryClient.clear()
  }, [state.kind])
  if (state.kind === 'starting') return null
  if (state.kind === 'signed-out') return <SignIn />
  return (
    <>
      <RouterProvider router={router} />
      {state.hasEnded && <SignInAgain session={state.session} />}
    </>
  )
}
