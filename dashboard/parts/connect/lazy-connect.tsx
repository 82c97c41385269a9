/** The way to a first request, loaded where somebody looks at it. */
import { lazy, Suspense } from 'react'
import { PagePending } from '../page-states.tsx'

const Connect = lazy(async () => ({ default: (await import('./connect.tsx')).Connect }))

export const LazyConnect = () => (
  <Suspense fallback={<PagePending />}>
    <Connect />
  </Suspense>
)
