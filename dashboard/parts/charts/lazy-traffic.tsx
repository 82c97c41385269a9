/** The chart of requests, loaded when it is shown; its place is kept free until then. */
import { Box } from '@mantine/core'
import { type ComponentProps, lazy, Suspense } from 'react'

/** Pixels: the bars, and the line of numbers above them. */
const HEIGHT = 110
export const TRAFFIC_HEIGHT = HEIGHT + 22

const Traffic = lazy(async () => ({ default: (await import('./traffic.tsx')).Traffic }))

export const LazyTraffic = (props: Omit<ComponentProps<typeof Traffic>, 'height'>) => (
  <Suspense fallback={<Box h={TRAFFIC_HEIGHT} />}>
    <Traffic height={HEIGHT} {...props} />
  </Suspense>
)
