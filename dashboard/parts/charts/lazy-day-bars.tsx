/** The bars, loaded when they are shown; their place is kept free until then. */
import { Box } from '@mantine/core'
import { type ComponentProps, lazy, Suspense } from 'react'

const DayBars = lazy(async () => ({ default: (await import('./day-bars.tsx')).DayBars }))

export const LazyDayBars = (props: ComponentProps<typeof DayBars>) => (
  <Suspense fallback={<Box h={160} />}>
    <DayBars {...props} />
  </Suspense>
)
