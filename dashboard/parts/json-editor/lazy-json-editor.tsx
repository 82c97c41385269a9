/** The editor, loaded when something is edited. */
import { Loader } from '@mantine/core'
import { type ComponentProps, lazy, Suspense } from 'react'

const JsonEditor = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }))

export const LazyJsonEditor = (props: ComponentProps<typeof JsonEditor>) => (
  <Suspense fallback={<Loader size="sm" />}>
    <JsonEditor {...props} />
  </Suspense>
)
