/** The button for help, and its key `?`. The help itself is loaded when somebody asks for it. */
import { ActionIcon } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { pages } from '../../page-list.ts'

const load = () => import('./help-drawer.tsx')
const HelpDrawer = lazy(async () => ({ default: (await load()).HelpDrawer }))

export function HelpButton() {
  const { pathname, href } = useLocation()
  const [isOpen, { open, close }] = useDisclosure(false)
  const [isWanted, setWanted] = useState(false)
  const ask = () => {
    setWanted(true)
    open()
  }
  useHotkeys([['shift+?', ask]])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link in it leads to another page, which closes it
  useEffect(close, [href])
  return (
    <>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label="Help"
        aria-haspopup="dialog"
        onPointerEnter={load}
        onFocus={load}
        onClick={ask}
      >
        ?
      </ActionIcon>
      {isWanted && (
        <Suspense>
          <HelpDrawer page={pageAt(pathname)} title={titleOf(document.title)} isOpen={isOpen} onClose={close} />
        </Suspense>
      )}
    </>
  )
}

/** The address in page-list.ts, in which `$id` stands for what varies. */
const pageAt = (pathname: string): string | undefined =>
  pages.find(({ path }) => new RegExp(`^${path.replace(/\$\w+/g, '[^/]+')}/?$`).test(pathname))?.path

const titleOf = (title: string): string => title.replace(/ · Sandbox EMR$/, '')
