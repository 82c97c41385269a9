/** Addresses and their pages. The whole view is in the address, so that a link shows another user the same. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { type DashboardPage, pages } from './page-list.ts'
import { NotFound, PageError, PagePending } from './parts/page-states.tsx'
import { Shell } from './shell.tsx'

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  // Texts as they are: each page checks its own filters.
  validateSearch: (search): Record<string, string> =>
    Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
})

const routeOf = ({ path, load, component }: DashboardPage) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: lazyRouteComponent(load as () => Promise<Record<string, RouteComponent>>, component),
  })

export const router = createRouter({
  routeTree: rootRoute.addChildren(pages.map(routeOf)),
  basepath: new URL(document.baseURI).pathname.replace(/\/$/, ''),
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  defaultPendingComponent: PagePending,
  defaultPendingMs: 400,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
})
