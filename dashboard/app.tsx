/** The whole dashboard: theme, query cache, session, and the page of the address. */
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense, useEffect } from 'react'
import { newQueryClient } from './api/query-client.ts'
import { resumeSession } from './api/session.ts'
import { useSession } from './api/use-session.ts'
import { nonce } from './parts/nonce.ts'
import { cssVariables, theme } from './parts/theme.ts'
import { router } from './router.tsx'

// Loaded lazily: the first view of a signed-in user does not need them.
const Notifications = lazy(async () => ({ default: (await import('@mantine/notifications')).Notifications }))
const SignIn = lazy(async () => ({ default: (await import('./parts/sign-in.tsx')).SignIn }))
const SignInAgain = lazy(async () => ({ default: (await import('./parts/sign-in-again.tsx')).SignInAgain }))

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
        <Suspense>
          <Notifications position="bottom-left" containerWidth={340} limit={8} />
        </Suspense>
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
  if (state.kind === 'signed-out') {
    return (
      <Suspense>
        <SignIn />
      </Suspense>
    )
  }
  return (
    <>
      <RouterProvider router={router} />
      {state.hasEnded && (
        <Suspense>
          <SignInAgain session={state.session} />
        </Suspense>
      )}
    </>
  )
}
