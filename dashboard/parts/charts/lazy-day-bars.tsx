/** The bars, loaded when they are shown; their place is kept free until then. */
import { Box } from '@mantine/core'
import { type ComponentProps, lazy, Suspense } from 'react'

/** Pixels. */
export const CHART_HEIGHT = 160

const DayBars = lazy(async () => ({ default: (await import('./day-bars.tsx')).DayBars }))

export const LazyDayBars = (props: Omit<ComponentProps<typeof DayBars>, 'height'>) => (
  <Suspense fallback={<Box h={CHART_HEIGHT} />}>
    <DayBars height={CHART_HEIGHT} {...props} />
  </Suspense>
)
