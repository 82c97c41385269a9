/** The merges of a record, shown on the replaced record and on the one that replaced it; each can be undone. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Patient } from 'fhir/r4'
import type { ReactNode } from 'react'
import { takeMergeBack, useMayTakeMergeBack } from '../../api/merges.ts'
import { notTakenBack } from '../../api/problem.ts'
import { useGet } from '../../api/queries.ts'
import { patientName } from '../../fhir/names.ts'
import { replacedBy, replacedIds } from '../../fhir/patients.ts'
import { Icon } from '../../parts/icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'

/** The last records that this one has replaced; the server decides whether each merge can be undone. */
const MOST_SHOWN = 5

export function Merges({ patient }: { readonly patient: Patient }) {
  const replacement = replacedBy(patient)
  return (
    <>
      {replacement !== undefined && (
        <Merge source={patient} title="This record has been merged">
          What is known of this person is in{' '}
          <PageLink to={`/patients/${replacement}`}>the record that has replaced it</PageLink>.
        </Merge>
      )}
      {replacedIds(patient)
        .slice(-MOST_SHOWN)
        .map((id) => (
          <Replaced key={id} id={id} />
        ))}
    </>
  )
}

function Replaced({ id }: { readonly id: string }) {
  const { data: source } = useGet<Patient>(`Patient/${id}`)
  if (source === undefined) return null
  return (
    <Merge source={source} title="Another record has been merged into this one">
      The record of{' '}
      <PageLink to={`/patients/${id}`}>
        <bdi>{patientName(source)}</bdi>
      </PageLink>{' '}
      is replaced by this one, and stays readable.
    </Merge>
  )
}

interface MergeProps {
  readonly source: Patient
  readonly title: string
  readonly children: ReactNode
}

function Merge({ source, title, children }: MergeProps) {
  const client = useQueryClient()
  const { data } = useMayTakeMergeBack(source)
  const { error, isBusy, submit } = useSubmit(async () => {
    try {
      await takeMergeBack(source)
    } catch (problem) {
      throw notTakenBack(problem)
    } finally {
      await client.invalidateQueries()
    }
  })
  return (
    <Alert color="gray" variant="light" mb="md" icon={<Icon name="merge" />} title={title}>
      <Stack gap="xs">
        <Group justify="space-between" gap="sm">
          <Text size="sm">{children}</Text>
          {data?.isOffered && (
            <form onSubmit={submit}>
              <Button type="submit" size="xs" variant="default" loading={isBusy}>
                Take back the merge
              </Button>
            </form>
          )}
        </Group>
        {data?.reason !== undefined && <Text size="sm">{data.reason}</Text>}
        <FormError text={error} />
      </Stack>
    </Alert>
  )
}
