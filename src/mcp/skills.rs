//! Skills: a directory of texts that teaches a host how to answer with these tools, embedded from
//! `data/skills/` and listed with the digest of every file.

use include_dir::{Dir, DirEntry, include_dir};
use rmcp::model::{
    Resource, ResourceContents, SKILL_MD, Skill, SkillFrontmatter, SkillResource, SkillResources,
};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/skills");

const SCHEME: &str = "skill://";
const MARKDOWN: &str = "text/markdown";
const DIRECTORY: &str = "inode/directory";

/// Every skill; a directory without a readable `SKILL.md` is none, which a test rules out.
pub(super) fn all() -> Vec<Skill> {
    FILES.dirs().filter_map(skill).collect()
}

fn skill(dir: &Dir<'_>) -> Option<Skill> {
    let main = dir.get_file(dir.path().join(SKILL_MD))?;
    let front = frontmatter(main.contents_utf8()?)?;
    let mut files = Vec::new();
    collect(dir, &mut files);
    Some(Skill::new(
        address(main.path()),
        front,
        SkillResources::Files(files),
    ))
}

fn collect(dir: &Dir<'_>, files: &mut Vec<SkillResource>) {
    files.extend(
        dir.files()
            .map(|f| SkillResource::from_bytes(address(f.path()), f.contents())),
    );
    dir.dirs().for_each(|d| collect(d, files));
}

/// The lines `key: value` between the first two `---`; the values of ours are plain text.
fn frontmatter(text: &str) -> Option<SkillFrontmatter> {
    let (head, _) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    let field = |name: &str| {
        head.lines()
            .filter_map(|l| l.split_once(": "))
            .find(|(k, _)| *k == name)
            .map(|(_, v)| v.trim())
    };
    let front = SkillFrontmatter::new(field("name")?, field("description")?);
    Some(match field("license") {
        Some(license) => front.with_field("license", license),
        None => front,
    })
}

fn address(path: &std::path::Path) -> String {
    format!("{SCHEME}{}", path.display())
}

/// The skills' entry files as resources, named and described by their front matter.
pub(super) fn files() -> Vec<Resource> {
    all()
        .into_iter()
        .map(|s| {
            Resource::new(s.uri.clone(), s.frontmatter.name.clone())
                .with_mime_type(MARKDOWN)
                .with_description(s.frontmatter.description.clone())
        })
        .collect()
}

/// A file of a skill.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    let file = FILES.get_file(uri.strip_prefix(SCHEME)?)?;
    let text = file.contents_utf8()?;
    Some(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}

/// What lies directly in a directory of a skill; nothing for what is no directory.
pub(super) fn directory(uri: &str) -> Option<Vec<Resource>> {
    let path = uri.strip_prefix(SCHEME)?.trim_end_matches('/');
    let dir = FILES.get_dir(path)?;
    let mut children: Vec<Resource> = dir.entries().iter().map(child).collect();
    children.sort_by(|a, b| a.uri.cmp(&b.uri));
    Some(children)
}

fn child(entry: &DirEntry<'_>) -> Resource {
    let name = entry
        .path()
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let resource = Resource::new(address(entry.path()), name);
    match entry {
        DirEntry::Dir(_) => resource.with_mime_type(DIRECTORY),
        DirEntry::File(file) => resource
            .with_mime_type(MARKDOWN)
            .with_size(file.contents().len() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::validate_skills;

    #[test]
    fn every_skill_is_sound_and_every_file_matches_its_digest() {
        let skills = all();
        assert_eq!(skills.len(), FILES.dirs().count());
        validate_skills(&skills).unwrap();
        for skill in &skills {
            let SkillResources::Files(files) = &skill.resources else {
                panic!("no digests")
            };
            assert!(files.len() >= 2);
            for file in files {
                let Some(ResourceContents::TextResourceContents { text, .. }) = read(&file.uri)
                else {
                    panic!("{} cannot be read", file.uri)
                };
                file.verify(text.as_bytes()).unwrap();
            }
        }
    }

    #[test]
    fn directories_list_their_children_and_files_are_none() {
        let top = directory("skill://us-macro-data").unwrap();
        assert!(top.iter().any(Resource::is_directory));
        assert_eq!(directory("skill://us-macro-data/").unwrap(), top);
        assert!(directory("skill://us-macro-data/SKILL.md").is_none());
        assert!(directory("skill://../src").is_none());
        assert!(read("skill://us-macro-data/../../Cargo.toml").is_none());
    }

    #[test]
    fn the_skill_names_tools_that_exist() {
        for skill in all() {
            let Some(ResourceContents::TextResourceContents { text, .. }) = read(&skill.uri) else {
                panic!("unreadable")
            };
            for word in text.split(|c: char| !(c.is_ascii_lowercase() || c == '_')) {
                if word.starts_with("get_") || word.starts_with("list_") {
                    assert!(
                        econoscope_answers::endpoints::Route::find(word).is_some(),
                        "{word}"
                    );
                }
            }
        }
    }
}
