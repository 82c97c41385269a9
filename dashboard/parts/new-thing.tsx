/** The button above a list that opens the form for a new thing of it. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'

interface NewThingProps {
  readonly label: string
  /** The form, which closes itself when it is done. */
  readonly children: (close: () => void) => ReactNode
}

export function NewThing({ label, children }: NewThingProps) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  return (
    <>
      <Button w="fit-content" aria-expanded={isOpen} variant={isOpen ? 'default' : 'filled'} onClick={toggle}>
        {isOpen ? 'Not now' : label}
      </Button>
      {isOpen && children(close)}
    </>
  )
}
