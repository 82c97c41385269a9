/** The frame of every page: header, navigation, command palette, and the notices that every page shows. */
import { AppShell, Badge, Burger, Button, Group, Kbd, NavLink, Stack, Text } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { settingsOf, useSandbox } from './api/clinic.ts'
import { clockOf, NO_REHEARSAL, settingOfClock } from './api/rehearsal.ts'
import { type Session, signOut } from './api/session.ts'
import { useIsConnectionLost, useSession } from './api/use-session.ts'
import { type DashboardPage, pages } from './page-list.ts'
import { type Clinic, HereProvider, useMaybeClinic } from './parts/clinic-context.tsx'
import { useFocusReturn } from './parts/focus-return.ts'
import { HelpButton } from './parts/help/help-button.tsx'
import { Icon } from './parts/icon.tsx'
import { LinkButton } from './parts/links.tsx'
import { PageHead } from './parts/page-head.tsx'
import { Empty, ErrorView, PagePending } from './parts/page-states.tsx'
import { RehearsalNotice } from './parts/rehearsal-notice.tsx'
import { useNavigation } from './parts/use-navigation.ts'
import { UserMenuButton } from './parts/user-menu-button.tsx'

const loadPalette = () => import('./parts/palette/palette.tsx')
const WorkBadge = lazy(async () => ({ default: (await import('./parts/work-badge.tsx')).WorkBadge }))
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))

export function Shell() {
  const state = useSession()
  if (state.kind !== 'signed-in') return null
  return <ShellOf session={state.session} />
}

function ShellOf({ session }: { readonly session: Session }) {
  const { clinic: id } = session
  const settings = useQuery({ ...settingsOf(id ?? ''), enabled: id !== undefined })
  // Where the clock jumps, or the clinic is reset, everything is shown anew: what is today, what is past.
  const clock = useQuery({ ...clockOf(id ?? ''), enabled: id !== undefined, select: settingOfClock })
  useAllAnew(clock.data)
  if (id !== undefined && (settings.data === undefined || clock.isPending)) {
    if (settings.error === null) return null
    return (
      <HereProvider here={{ session, clinic: undefined }}>
        <NoClinic error={settings.error} onRetry={settings.refetch} />
      </HereProvider>
    )
  }
  const { data } = settings
  const isRehearsal = (clock.data ?? NO_REHEARSAL) !== NO_REHEARSAL
  const clinic =
    id === undefined || data === undefined
      ? undefined
      : { id, name: data.name, timeZone: data.timeZone, settings: data, isRehearsal }
  return (
    <HereProvider here={{ session, clinic }}>
      <Frame clinic={clinic} />
    </HereProvider>
  )
}

/** The clinic cannot be read: the server is away, or the clinic was deleted, and another account is needed. */
function NoClinic(props: Parameters<typeof ErrorView>[0]) {
  return (
    <Stack component="main" p="md" align="flex-start">
      <PageHead title="Your clinic can’t be shown" />
      <ErrorView {...props} />
      <Button variant="default" onClick={() => void signOut()}>
        Sign out
      </Button>
    </Stack>
  )
}

function Frame({ clinic }: { readonly clinic: Clinic | undefined }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { pathname } = useLocation()
  useFocusReturn()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is what closes it
  useEffect(close, [pathname])
  const palette = usePalette()
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
      transitionDuration={0}
    >
      <AppShell.Header>
        <a className="skip-link" href="#main">
          Skip to the page
        </a>
        <Group h="100%" px="md" wrap="nowrap" gap="sm">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label="Navigation"
            aria-expanded={isOpen}
          />
          <Text size="md" fw={650} className="cut" flex={1} miw={0}>
            <bdi>{clinic?.name ?? 'Sandbox EMR'}</bdi>
          </Text>
          <SandboxState />
          <Button
            variant="default"
            size="xs"
            px="xs"
            leftSection={<Icon name="search" size={16} />}
            onPointerEnter={palette.load}
            onFocus={palette.load}
            onClick={palette.open}
          >
            Search
            <Kbd size="xs" ml="xs" visibleFrom="sm">
              Ctrl K
            </Kbd>
          </Button>
          <HelpButton />
          <UserMenuButton />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <Navigation clinic={clinic} pathname={pathname} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Connection />
        {clinic?.isRehearsal === true && <RehearsalNotice clinic={clinic} />}
        <Suspense fallback={<PagePending />}>
          <Page clinic={clinic} pathname={pathname} />
        </Suspense>
      </AppShell.Main>
      {palette.isLoaded && (
        <Suspense>
          <Palette isOpen={palette.isOpen} onClose={palette.close} />
        </Suspense>
      )}
    </AppShell>
  )
}

/** The command palette: loaded when the user is about to use it, or, if that failed, when it is opened. */
function usePalette() {
  const [isLoaded, setLoaded] = useState(false)
  const [isOpen, { open: show, close }] = useDisclosure(false)
  const load = (): Promise<void> =>
    loadPalette().then(
      () => setLoaded(true),
      () => undefined,
    )
  const open = () => {
    show()
    void load()
  }
  useHotkeys([['mod+K', open]], [])
  return { isLoaded, isOpen, load, open, close }
}

function Navigation({ clinic, pathname }: { readonly clinic: Clinic | undefined; readonly pathname: string }) {
  const navigation = useNavigation()
  const shown = clinic === undefined ? navigation.filter(({ isForService }) => isForService) : navigation
  return (
    <nav aria-label="Pages">
      {shown.map(({ path, label, icon }) => (
        <NavLink
          key={path}
          component={Link}
          to={path}
          label={label}
          leftSection={<Icon name={icon} />}
          rightSection={
            path === '/work-list' && (
              <Suspense>
                <WorkBadge />
              </Suspense>
            )
          }
          active={isWithin(pathname, path)}
          aria-current={isWithin(pathname, path) ? 'page' : undefined}
        />
      ))}
    </nav>
  )
}

const isWithin = (pathname: string, path: string): boolean =>
  path === '/' ? pathname === '/' : pathname === path || pathname.startsWith(`${path}/`)

function Page({ clinic, pathname }: { readonly clinic: Clinic | undefined; readonly pathname: string }) {
  const page = pages.find(({ path }) => isWithin(pathname, path))
  if (clinic !== undefined || isForService(page)) return <Outlet />
  return (
    <>
      <PageHead title="No clinic" />
      <Empty
        icon="settings"
        title="This account belongs to no clinic"
        action={
          <LinkButton size="xs" to="/clinics">
            Open the clinics
          </LinkButton>
        }
      >
        Operators make clinics and accounts. Patient data are read with an account of the clinic that they belong to.
      </Empty>
    </>
  )
}

const isForService = (page: DashboardPage | undefined): boolean => page?.navigation?.isForService ?? false

/** Somebody else may have turned it off. */
function SandboxState() {
  const clinic = useMaybeClinic()
  return clinic === undefined ? null : <SandboxBadge clinic={clinic.id} />
}

function SandboxBadge({ clinic }: { readonly clinic: string }) {
  const { data } = useSandbox(clinic)
  useAllAnew(data?.enabled)
  if (data === undefined || data.enabled) return null
  return (
    <Badge color="red" variant="filled" flex="none">
      Sandbox off
    </Badge>
  )
}

/** Fetches everything anew when any user switches the sandbox, sets the clock or resets the clinic. */
function useAllAnew(state: boolean | string | undefined): void {
  const client = useQueryClient()
  const before = useRef(state)
  useEffect(() => {
    if (before.current !== undefined && before.current !== state) void client.invalidateQueries()
    before.current = state
  }, [client, state])
}

function Connection() {
  const isLost = useIsConnectionLost()
  return (
    <div role="status">
      {isLost && (
        <Text size="sm" fw={600} className="card" p="xs" mb="md" c="red">
          The server is not responding. The data shown may be out of date. The page reconnects by itself.
        </Text>
      )}
    </div>
  )
}
