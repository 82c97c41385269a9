/** The end of a run, and its report: to download, or to share by a link. */
import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Run, SharedReport } from '../../api/rehearsal-answers.ts'
import { REPORTS, type ReportForm, type RunAddress, reportOf, shareReport, useChangeRun } from '../../api/runs.ts'
import { ActionList } from '../../parts/action-list.tsx'
import { Copied } from '../../parts/copy.tsx'
import { download } from '../../parts/download.ts'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { Time } from '../../parts/times.tsx'
import { tellProblem } from '../../parts/undo.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'

interface RunActionsProps {
  readonly run: Run
  readonly address: RunAddress
}

type Question = keyof typeof ENDS | 'share'

export function RunActions({ run, address }: RunActionsProps) {
  const mayChange = useMayChange()
  const [asked, setAsked] = useState<Question>()
  const close = () => setAsked(undefined)
  return (
    <>
      {mayChange && run.status === 'open' && (
        <>
          <Button size="xs" onClick={() => setAsked('finish')}>
            Finish…
          </Button>
          <Button size="xs" variant="default" onClick={() => setAsked('abort')}>
            Abort…
          </Button>
        </>
      )}
      <Downloads address={address} />
      {mayChange && (
        <Button size="xs" variant="default" onClick={() => setAsked('share')}>
          Share…
        </Button>
      )}
      {(asked === 'finish' || asked === 'abort') && <EndDialog to={asked} address={address} onClose={close} />}
      {asked === 'share' && <ShareDialog address={address} onClose={close} />}
    </>
  )
}

function Downloads({ address }: Pick<RunActionsProps, 'address'>) {
  const save = (form: ReportForm) =>
    reportOf(address, form).then((content) => download(`${address.run}.${form}`, content), tellProblem)
  return (
    <ActionList
      label="Report"
      icon="download"
      actions={(Object.keys(REPORTS) as ReportForm[]).map((form) => ({
        label: REPORTS[form].label,
        run: () => save(form),
      }))}
    />
  )
}

const ENDS = {
  finish: {
    title: 'Finish the run',
    text: 'The report is made of what was seen so far. Steps that are required and were not seen fail. It cannot be opened again.',
    label: 'Finish it',
  },
  abort: {
    title: 'Abort the run',
    text: 'It ends without a verdict, and cannot be opened again.',
    label: 'Abort it',
  },
} as const

interface DialogProps {
  readonly address: RunAddress
  readonly onClose: () => void
}

function EndDialog({ to, address, onClose }: DialogProps & { readonly to: keyof typeof ENDS }) {
  const { title, text, label } = ENDS[to]
  const change = useChangeRun(address)
  const { error, isBusy, submit } = useSubmit(async () => {
    await change.mutateAsync({ to })
    onClose()
  })
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{text}</Text>
          <FormError text={error} />
          <Group justify="flex-end">
            <Button variant="default" disabled={isBusy} onClick={onClose}>
              Let it go on
            </Button>
            <Button type="submit" loading={isBusy}>
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const LASTS = [
  { value: 'PT1H', label: '1 hour' },
  { value: 'P1D', label: '1 day' },
  { value: 'P7D', label: '7 days' },
  { value: 'P30D', label: '30 days' },
]

function ShareDialog({ address, onClose }: DialogProps) {
  const [ttl, setTtl] = useState('P7D')
  const [shared, setShared] = useState<SharedReport>()
  const { error, isBusy, submit } = useSubmit(async () => setShared(await shareReport(address, ttl)))
  return (
    <Modal opened onClose={onClose} title="Share the report">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">Whoever has the link reads the report, and nothing else, without signing in.</Text>
          <NativeSelect
            label="Lasts"
            data={LASTS}
            value={ttl}
            onChange={({ currentTarget: { value } }) => setTtl(value)}
          />
          <FormError text={error} />
          {shared !== undefined && (
            <Stack gap="xs" role="status">
              <Copied text={shared.url} what="link" />
              <Text size="sm">
                Until <Time at={shared.expiresAt} />
              </Text>
            </Stack>
          )}
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy}>
              Make a link
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
