-- What a run says, by its own tables: the intervals of claims, of regimes and of cells.
SELECT json_array(name, left_name, right_name, a.metric, kind, a.by, a.times, f.from_bytes,
                  f.to_bytes, f.cells) question,
       'claim' kind, a.id nth, 0 twin, NULL regime, NULL variant, NULL what, NULL pace, 0 bytes,
       c ->> 'ratio' ratio, c ->> 'lo' lo, c ->> 'hi' hi, c ->> 'blocks' blocks,
       c ->> 'confidence' confidence, name claim, text, kind test, a.by, a.times, is_primary
FROM contrast_found f JOIN asked_claim a ON a.id = part
WHERE finding = 'claims' AND c ->> 'lo' NOT NULL
UNION ALL
SELECT json_array(v.name, r.name, least_bytes, most_bytes), 'regime', r.nth,
       role = 'again', r.name, v.name, r.label, NULL, 0, speed, speed_lo, speed_hi,
       c ->> 'blocks', c ->> 'confidence', NULL, NULL, NULL, 0, 0, 0
FROM contrast_found f JOIN regime r ON r.nth = part JOIN variant v ON v.id = f.variant
WHERE finding = 'regime' AND speed_lo NOT NULL
UNION ALL
SELECT json_array(v.name, coll, pace, dtype, op, in_place, root, comm_ranks, p.ranks, bytes),
       'cell', p.id, role = 'again', NULL, v.name, what, pace, asked_bytes, speed, speed_lo,
       speed_hi, c ->> 'blocks', c ->> 'confidence', NULL, NULL, NULL, 0, 0, 0
FROM contrast_found f JOIN place p ON p.id = part JOIN variant v ON v.id = f.variant
WHERE finding = 'place' AND speed_lo NOT NULL
ORDER BY kind, nth, variant
